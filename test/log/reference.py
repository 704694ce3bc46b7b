"""A second implementation of trees, notes, checkpoints, cosignatures and proof files, with Python's standard library alone.

It reads one JSON request from standard input and writes one answer. The library is held against it in both directions: what the library
writes is read here, and what is written here is read by the library. Ed25519 is RFC 8032 on extended coordinates, slow and plain.
"""

import base64
import hashlib
import json
import sys


def sha(data):
    return hashlib.sha256(data).digest()


# RFC 6962 2.1, by its recursive definitions.


def split(n):
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def root(hashes):
    if not hashes:
        return sha(b"")
    if len(hashes) == 1:
        return hashes[0]
    k = split(len(hashes))
    return sha(b"\x01" + root(hashes[:k]) + root(hashes[k:]))


def path(m, hashes):
    if len(hashes) == 1:
        return []
    k = split(len(hashes))
    if m < k:
        return path(m, hashes[:k]) + [root(hashes[k:])]
    return path(m - k, hashes[k:]) + [root(hashes[:k])]


def root_from_path(leaf, m, n, siblings):
    """The root that a path leads to, walking down the definition instead of up the bits."""
    if n == 1:
        return leaf if not siblings else None
    if not siblings:
        return None
    k = split(n)
    if m < k:
        below = root_from_path(leaf, m, k, siblings[:-1])
        return below and sha(b"\x01" + below + siblings[-1])
    below = root_from_path(leaf, m - k, n - k, siblings[:-1])
    return below and sha(b"\x01" + siblings[-1] + below)


# Ed25519.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def add(a, b):
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    m = (y1 - x1) * (y2 - x2) % P
    n = (y1 + x1) * (y2 + x2) % P
    c = 2 * t1 * t2 * D % P
    d = 2 * z1 * z2 % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(k, point):
    result = (0, 1, 1, 0)
    while k:
        if k & 1:
            result = add(result, point)
        point = add(point, point)
        k >>= 1
    return result


def encode(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(data):
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_M1 % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def challenge(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def secret(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    return scalar, digest[32:]


def public(seed):
    return encode(multiply(secret(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = secret(seed)
    key = public(seed)
    r = challenge(prefix, message) % ORDER
    commitment = encode(multiply(r, BASE))
    s = (r + challenge(commitment, key, message) * scalar) % ORDER
    return commitment + s.to_bytes(32, "little")


def verify(key, signature, message):
    point = decode(key)
    s = int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= ORDER:
        return False
    k = challenge(signature[:32], key, message) % ORDER
    negated = (P - point[0], point[1], point[2], P - point[3])
    return encode(add(multiply(s, BASE), multiply(k, negated))) == signature[:32]


# C2SP signed notes, checkpoints, cosignatures, proof files.


def b64(data):
    return base64.b64encode(data).decode()


def key_id(name, kind, key):
    return sha(name.encode() + b"\n" + bytes([kind]) + key)[:4]


def parse_vkey(text):
    name, digits, encoded = text.split("+", 2)
    data = base64.b64decode(encoded, validate=True)
    kind, key = data[0], data[1:]
    assert bytes.fromhex(digits) == key_id(name, kind, key), "key id"
    return name, kind, key


def cosigned(time, text):
    return b"cosignature/v1\ntime %d\n" % time + text


def open_note(note, vkeys):
    """Text, and each known signer with its time; raises for anything that is not right."""
    text, block = note.rsplit(b"\n\n", 1)
    text += b"\n"
    known = {(name, key_id(name, kind, key)): (kind, key) for name, kind, key in map(parse_vkey, vkeys)}
    signers = []
    for line in block.decode().splitlines():
        dash, name, encoded = line.split(" ")
        assert dash == "\u2014", "prefix"
        data = base64.b64decode(encoded, validate=True)
        if (name, data[:4]) not in known:
            continue
        kind, key = known[name, data[:4]]
        if kind == 1:
            assert verify(key, data[4:], text), "signature"
            signers.append([name, None])
        elif kind == 4:
            time = int.from_bytes(data[4:12], "big")
            assert verify(key, data[12:], cosigned(time, text)), "cosignature"
            signers.append([name, time])
    return text, signers


def checkpoint(text):
    origin, size, encoded = text.decode().splitlines()[:3]
    return origin, int(size), base64.b64decode(encoded, validate=True)


def signature_line(name, kind, key, data):
    return "\u2014 %s %s\n" % (name, b64(key_id(name, kind, key) + data))


def make_note(origin, size, top, log_seed, witnesses):
    text = ("%s\n%d\n%s\n" % (origin, size, b64(top))).encode()
    note = text.decode() + "\n" + signature_line(origin, 1, public(log_seed), sign(log_seed, text))
    for name, seed, time in witnesses:
        data = time.to_bytes(8, "big") + sign(seed, cosigned(time, text))
        note += signature_line(name, 4, public(seed), data)
    return note


def make_proof(index, siblings, note):
    lines = ["c2sp.org/tlog-proof@v1", "index %d" % index] + [b64(one) for one in siblings] + ["", ""]
    return "\n".join(lines) + note


def check_proof(proof, leaf, vkeys):
    head, note = proof.split(b"\n\n", 1)
    lines = head.decode().split("\n")
    assert lines[0] == "c2sp.org/tlog-proof@v1", "header"
    index = int(lines[1][len("index ") :])
    siblings = [base64.b64decode(line, validate=True) for line in lines[2:]]
    text, signers = open_note(note, vkeys)
    _, size, top = checkpoint(text)
    assert root_from_path(leaf, index, size, siblings) == top, "root"
    return signers


def vkey(name, kind, seed):
    key = public(seed)
    return "%s+%s+%s" % (name, key_id(name, kind, key).hex(), b64(bytes([kind]) + key))


def answer(request):
    operation = request["op"]
    if operation == "roots":
        return [root([sha(b"\x00" + bytes.fromhex(leaf)) for leaf in leaves]).hex() for leaves in request["sets"]]
    if operation == "inclusion":
        hashes = [sha(b"\x00" + bytes.fromhex(leaf)) for leaf in request["leaves"]]
        return [[one.hex() for one in path(i, hashes)] for i in request["indices"]]
    if operation == "open":
        text, signers = open_note(base64.b64decode(request["note"]), request["vkeys"])
        origin, size, top = checkpoint(text)
        return {"origin": origin, "size": size, "root": top.hex(), "signers": signers}
    if operation == "check":
        leaf = sha(b"\x00" + base64.b64decode(request["leaf"]))
        return check_proof(base64.b64decode(request["proof"]), leaf, request["vkeys"])
    if operation == "make":
        seeds = {name: bytes.fromhex(seed) for name, seed in request["seeds"].items()}
        hashes = [sha(b"\x00" + bytes.fromhex(leaf)) for leaf in request["leaves"]]
        witnesses = [(name, seeds[name], time) for name, time in request["witnesses"]]
        note = make_note(request["origin"], len(hashes), root(hashes), seeds[request["origin"]], witnesses)
        return {
            "note": note,
            "proofs": [make_proof(i, path(i, hashes), note) for i in request["indices"]],
            "log": vkey(request["origin"], 1, seeds[request["origin"]]),
            "witnesses": [vkey(name, 4, seed) for name, seed, _ in witnesses],
        }
    raise ValueError(operation)


sys.setrecursionlimit(10_000)
json.dump(answer(json.load(sys.stdin)), sys.stdout)
