/** Links between the views of one thing. The current one is marked. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { readonly href: string; readonly text: string; readonly isCurrent: boolean }[];
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, text, isCurrent }) => (
        <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
