/** The stylesheet of all pages; Swagger UI's own stylesheet is loaded before it. */
export const STYLE = `:root {
  --ink: #1d2733; --faint: #5b6675; --ground: #fff; --raised: #eef1f4; --line: #d9dfe5; --link: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #dfe5ec; --faint: #96a2b0; --ground: #1c2022; --raised: #272d31; --line: #3a4247; --link: #7db8f2;
  }
}
* { box-sizing: border-box }
body { margin: 0; font: 1.0625rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--ground) }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
header {
  display: flex; flex-wrap: wrap; gap: .25rem 2rem; align-items: baseline;
  padding: .75rem 1.25rem; border-bottom: 1px solid var(--line);
}
header a { color: inherit; text-decoration: none }
header a:hover { text-decoration: underline }
header .name { font-weight: 650 }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .9375rem }
header nav a { color: var(--faint) }
main.text { max-width: 40rem; margin: 3rem auto; padding: 0 1.25rem }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .25rem }
main.text h2 { font-size: 1rem; color: var(--faint); margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line) }
.kind { color: var(--faint); margin-top: 0 }
.on { margin-top: 2.5rem }
dt { font-weight: 600; margin-top: .75rem }
dd { margin: 0 }
dd p { margin: 0 }
code { font: .9375em ui-monospace, monospace }
:is(.text, .note) code { background: var(--raised); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
.note {
  max-width: 1420px; width: calc(100% - 40px); margin: 1.25rem auto 0; padding: .625rem 1rem;
  border-left: 4px solid var(--link); background: var(--raised); font-size: .9375rem;
}
.tags { max-width: 1420px; width: calc(100% - 40px); margin: 1.25rem auto 0 }
.swagger-ui .info { margin: 2rem 0 }
.swagger-ui .info :is(.markdown, .renderedMarkdown) { max-width: 50rem }
.dark-mode .swagger-ui :is(.examples-select__section-label, .header-col) { color: inherit }
.dark-mode .swagger-ui .renderedMarkdown :is(h1, h2, h3, h4, h5, h6) { color: #e4e6e6 }
`;

/** The icon in the browser tab. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5cad"/>
<path d="M8 10h3m4 0h9M8 16h3m4 0h9M8 22h3m4 0h9" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
</svg>
`;
