/** The page's one style sheet: light, dark and paper; one column on a phone. Colours keep a contrast of at least 4.5 to 1. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#5a6169;--paper:#fbfbfa;--card:#fff;--line:#d9dcdf;--good:#106b3c;--bad:#b3201c;--open:#805400;--link:#0b5cad;--tint-good:#e8f4ed;--tint-bad:#fbeae9;--tint-open:#faf1df}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ea;--soft:#a4abb2;--paper:#15181a;--card:#1d2124;--line:#3a4046;--good:#65cf97;--bad:#ff8f88;--open:#e8b85c;--link:#82b8f5;--tint-good:#15291f;--tint-bad:#331b1b;--tint-open:#2f2716}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main,header,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.15rem;font-weight:600;margin:0 0 1rem;color:var(--soft)}
h2{font-size:1.2rem;margin:0;overflow-wrap:anywhere}
h3{font-size:1rem;margin:1.6rem 0 .5rem}
a{color:var(--link)}
code,pre,.mono{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
pre{margin:.4rem 0;padding:.6rem .8rem;border:1px solid var(--line);border-radius:6px;background:var(--paper)}
.verdict{border:1px solid var(--line);border-left:8px solid var(--tone);border-radius:8px;background:var(--tint);padding:1rem 1.25rem;margin:0 0 1rem}
.verdict strong{display:block;font-size:1.7rem;line-height:1.2;color:var(--tone)}
.verdict p{margin:.35rem 0 0}
.verified{--tone:var(--good);--tint:var(--tint-good)}
.failed,.not_verified,.unusable_input{--tone:var(--bad);--tint:var(--tint-bad)}
.undecided,.no_verdict{--tone:var(--open);--tint:var(--tint-open)}
article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.25rem;margin:1.25rem 0}
article>.verdict{margin-top:.9rem}
.facts{color:var(--soft);font-size:.9rem;margin:.25rem 0 0;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .7rem .45rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:600;white-space:nowrap}
thead th{color:var(--soft);font-size:.85rem}
.mark{color:var(--tone);font-weight:600;white-space:nowrap}
li{overflow-wrap:anywhere}
ul{padding-left:1.2rem;margin:.3rem 0}
.finding{border-left:4px solid var(--tone,var(--line));padding:.1rem 0 .1rem .9rem;margin:.9rem 0}
.finding p{margin:.2rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .9rem;margin:.4rem 0;font-size:.92rem}
dl.read{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem}dl.read dd{font-variant-numeric:tabular-nums}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
ol.timeline{list-style:none;margin:.5rem 0;padding:0;border-left:3px solid var(--line)}
ol.timeline li{position:relative;padding:.25rem 0 .25rem 1.1rem;margin-left:calc(var(--lane,0)*1.4rem)}
ol.timeline li::before{content:"";position:absolute;left:-.55rem;top:.7rem;width:.8rem;height:.8rem;border-radius:50%;background:var(--tone,var(--soft));border:2px solid var(--card)}
ol.timeline li.call::before,ol.timeline li.dispatch::before{border-radius:2px}
ol.timeline li.decision::before,ol.timeline li.approval::before{transform:rotate(45deg);border-radius:1px}
.when{color:var(--soft);font-size:.85rem;margin-right:.5rem;font-variant-numeric:tabular-nums}
.tag{border:1px solid var(--line);border-radius:4px;padding:0 .35rem;font-size:.8rem;color:var(--soft);margin-right:.4rem}
.drop{border:2px dashed var(--soft);border-radius:10px;padding:1.1rem 1.25rem;margin:1.25rem 0;background:var(--card)}
.drop.over{border-color:var(--link)}
.drop h2{margin-bottom:.3rem}
button,input::file-selector-button{font:inherit;padding:.4rem .9rem;border:1px solid var(--soft);border-radius:6px;background:var(--card);color:var(--ink);cursor:pointer}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.3rem .6rem}
summary{cursor:pointer;font-weight:600}
footer{color:var(--soft);font-size:.9rem;padding-bottom:2.5rem}
@media(max-width:40rem){article{padding:.9rem}dl{grid-template-columns:1fr}dt{margin-top:.3rem}table.claims thead{position:absolute;left:-100rem}table.claims tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}table.claims th,table.claims td{display:block;border:0;padding:.1rem 0}}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--paper:#fff;--card:#fff;--line:#bbb;--good:#0b5a32;--bad:#971a17;--open:#6b4600;--link:#000;--tint-good:#fff;--tint-bad:#fff;--tint-open:#fff}body{font-size:10.5pt}.drop,.skip{display:none}article{border:0;padding:0;break-inside:auto}.finding,tr,li,.verdict{break-inside:avoid}details>*{display:block}}
`;
