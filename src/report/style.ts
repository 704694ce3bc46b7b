/** The page's one style sheet: light, dark and paper; one column on a phone. Colours keep a contrast of at least 4.5 to 1. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#565d65;--paper:#f7f7f5;--card:#fff;--line:#d9dcdf;--rail:#9aa2a9;--good:#106b3c;--bad:#b3201c;--open:#7a5000;--link:#0b5cad;--tint-good:#e6f3ec;--tint-bad:#fbe9e8;--tint-open:#faf0dc;--code:#f2f3f3;--mark:#ffd9a8}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ea;--soft:#a9b0b7;--paper:#131517;--card:#1b1f22;--line:#3a4046;--rail:#6c747b;--good:#65cf97;--bad:#ff8f88;--open:#e8b85c;--link:#82b8f5;--tint-good:#15291f;--tint-bad:#331b1b;--tint-open:#2f2716;--code:#24292d;--mark:#6b4310}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main,header,footer{max-width:64rem;margin:0 auto;padding:0 1.25rem}
main:focus{outline:0}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.2rem 1.5rem;padding-top:1.25rem}
header p{margin:0;color:var(--soft);font-size:.92rem}
.brand strong{color:var(--ink);margin-right:.5rem}
h1{font-size:1.5rem;line-height:1.2;margin:.9rem 0 1rem}
h2{font-size:1.2rem;margin:0;overflow-wrap:anywhere}
h3{font-size:1rem;margin:1.5rem 0 .45rem}
a{color:var(--link)}
code,.mono{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
code{background:var(--code);border-radius:4px;padding:.08rem .3rem}
mark{background:var(--mark);color:inherit;border-radius:2px;text-decoration:underline;text-decoration-thickness:2px}
.verdict{border:1px solid var(--line);border-left:8px solid var(--tone);border-radius:8px;background:var(--tint);padding:.9rem 1.25rem;margin:0 0 1rem}
.verdict h2{font-size:1.8rem;line-height:1.15;color:var(--tone)}
.verdict p{margin:.35rem 0 0}
p.verdict,div.verdict{border-left-width:5px;padding:.5rem .9rem;margin:.8rem 0 0}
.verified{--tone:var(--good);--tint:var(--tint-good)}
.failed,.not_verified,.unusable_input{--tone:var(--bad);--tint:var(--tint-bad)}
.undecided,.no_verdict{--tone:var(--open);--tint:var(--tint-open)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.15rem 1.25rem;margin:1.1rem 0}
.facts{color:var(--soft);font-size:.88rem;margin:.25rem 0 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:600}
.claims th{min-width:8.5rem}
tbody th[colspan]{padding-top:1.1rem;color:var(--soft)}
thead th{color:var(--soft);font-size:.85rem}
.mark{color:var(--tone);font-weight:600;white-space:nowrap}
.claim{font-weight:600}.claim+.claim::before{content:"· ";font-weight:400}
li{overflow-wrap:anywhere}
ul{padding-left:1.2rem;margin:.3rem 0}
.finding{border-left:4px solid var(--tone,var(--line));padding:.1rem 0 .1rem .9rem;margin:.9rem 0}
.finding p{margin:.2rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .9rem;margin:.4rem 0;font-size:.92rem}
dl.read{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(13rem,100%),1fr));gap:.5rem 1.4rem}dl.read dd{font-variant-numeric:tabular-nums}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;color:var(--soft);font-size:.88rem}
.legend svg{vertical-align:-.22rem}
ol.timeline{list-style:none;margin:.4rem 0;padding:0;font-size:.94rem}
ol.timeline li{display:grid;grid-template-columns:7.6rem max-content 1fr;column-gap:.6rem;align-items:stretch}
.when{color:var(--soft);font-size:.82rem;padding-top:.42rem;text-align:right;font-variant-numeric:tabular-nums}
.day{display:block;font-weight:600}
.what{padding:.28rem 0;min-width:0}
.rail{position:relative;min-height:2.1rem}
.rail svg{position:absolute;top:0;left:0;width:100%;height:100%}
.t1{width:18px}.t2{width:36px}.t3{width:54px}.t4{width:72px}.t5{width:90px}.t6{width:108px}.t7{width:126px}.t8{width:144px}
.rail line,.rail .bend{stroke:var(--rail);stroke-width:2;fill:none}
.shape{fill:var(--tone,var(--soft));stroke:var(--card);stroke-width:2}
.ring{fill:var(--card);stroke:var(--tone,var(--soft));stroke-width:2.5}
.tag,.tier,.lane{border:1px solid var(--line);border-radius:4px;padding:0 .35rem;font-size:.8rem;font-weight:400;color:var(--soft);white-space:nowrap}
.tier{color:var(--ink);background:var(--code)}
.lane{border:0;margin-left:.4rem;font-style:italic;white-space:normal}
.drop{border:2px dashed var(--soft);border-radius:10px;padding:1.1rem 1.25rem;margin:1.25rem 0;background:var(--card)}
.drop.over{border-color:var(--link);background:var(--tint-good)}
.drop h2{margin-bottom:.3rem}.drop p{margin:.3rem 0}
.choose{display:flex;flex-wrap:wrap;gap:.5rem 2rem}
.choose input{max-width:100%;color:var(--soft)}
a.button,input::file-selector-button{font:inherit;padding:.4rem .9rem;border:1px solid var(--soft);border-radius:6px;background:var(--card);color:var(--ink);cursor:pointer;text-decoration:none;display:inline-block}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.3rem .6rem}
details{margin:1rem 0 0}
summary{cursor:pointer;font-weight:600}
footer{color:var(--soft);font-size:.9rem;padding-bottom:2.5rem}
@media(max-width:40rem){main,header,footer{padding-left:.8rem;padding-right:.8rem}.card,.drop{padding:.9rem}.verdict h2{font-size:1.5rem}dl{grid-template-columns:1fr}dt{margin-top:.3rem}.claims thead{position:absolute;left:-100rem}.claims tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}.claims th,.claims td{display:block;border:0;padding:.1rem 0}ol.timeline li{grid-template-columns:max-content 1fr}.rail{grid-area:1/1/3/2}.when{grid-area:1/2;text-align:left}.what{grid-area:2/2;padding-top:0}.day{display:inline}dl.read{grid-template-columns:repeat(auto-fill,minmax(min(8rem,100%),1fr))}}
@page{margin:1.6cm}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--paper:#fff;--card:#fff;--line:#bbb;--rail:#777;--good:#0b5a32;--bad:#971a17;--open:#6b4600;--link:#000;--tint-good:#fff;--tint-bad:#fff;--tint-open:#fff;--code:#f2f2f2;--mark:#e6e6e6}*{print-color-adjust:exact}body{font-size:10pt}main,header,footer{max-width:none;padding:0}.drop,.skip,.check,summary{display:none}.card{border:0;border-top:1px solid var(--line);border-radius:0;padding:.8rem 0 0}.finding,tr,li,.verdict,dl.read div{break-inside:avoid}h2,h3{break-after:avoid}details::details-content{content-visibility:visible;display:block;height:auto}}
`;
