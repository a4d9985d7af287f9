/**
 * Makes files of a part of the page, which need neither the page nor the service: HTML and PNG. Their styles are put
 * together as text, because the policy of the page allows no element with styles.
 */

/** Controls, which do nothing in a file. */
export const CONTROLS = 'button, input, select, textarea, form';

/** The room around a picture, and its pixels for each CSS pixel. */
const PADDING = 16;
const SCALE = 2;

/** Returns a part of the page as a separate document, in both colour schemes, without scripts and remote parts. */
export function htmlFile(part: Element, title: string): Blob {
  const name = escapeMarkup(title);
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>
${cssText(() => true)}
</style>
</head>
<body>
<main>
<h1>${name}</h1>
${clonePart(part).outerHTML}
</main>
</body>
</html>
`;
  return new Blob([text], { type: 'text/html' });
}

/**
 * Draws a part of the page, in light colours and without its table.
 * @throws Error if the browser cannot draw it
 */
export async function pngFile(part: HTMLElement): Promise<Blob> {
  const clone = clonePart(part);
  for (const table of clone.querySelectorAll('details')) table.remove();
  const tables = [...part.querySelectorAll('details')];
  const hidden = tables.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
  const width = part.clientWidth + 2 * PADDING;
  const height = part.clientHeight - hidden + 2 * PADDING;
  const css = cssText(({ conditionText }) => !conditionText.includes('prefers-color-scheme'));
  const [w, h] = [width * SCALE, height * SCALE];
  const image = new Image(w, h);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(`
<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${width} ${height}">
<style>${escapeMarkup(css)} .picture { height: 100%; padding: ${PADDING}px; }</style>
<foreignObject width="100%" height="100%">
<body xmlns="http://www.w3.org/1999/xhtml"><div class="picture">${new XMLSerializer().serializeToString(clone)}</div></body>
</foreignObject>
</svg>`)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [w, h];
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('The browser cannot make a picture of this plot.'));
    }, 'image/png');
  });
}

const escapeMarkup = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Copies a part of the page without controls and links. Its drawings keep their proportions at any width. */
function clonePart(part: Element): Element {
  const clone = document.importNode(part, true);
  const sizes = [...part.querySelectorAll('.figure > svg')].map((svg) => svg.getBoundingClientRect());
  for (const [index, svg] of [...clone.querySelectorAll('.figure > svg')].entries()) {
    const { width = 0, height = 0 } = sizes[index] ?? {};
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  }
  for (const control of clone.querySelectorAll(CONTROLS)) control.remove();
  for (const link of clone.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  return clone;
}

/** Returns the styles of the page. @param keepsMedia whether rules for some media are kept */
function cssText(keepsMedia: (rule: CSSMediaRule) => boolean): string {
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => !(rule instanceof CSSMediaRule) || keepsMedia(rule))
    .map(({ cssText }) => cssText)
    .join('\n');
}
