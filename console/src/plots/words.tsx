/** The ends of the words of a name such as `MonthlyCharges` or `coarse_aggregate`, and not the marks of a number. */
const WORD_ENDS = /(?<=[a-z\d])(?=[A-Z])|(?<=_|[^\d\s][./-])(?=[^_./-])/;

/** A name that breaks between its words, where it must. */
export function Words({ name }: { name: string }) {
  return (
    <>
      {name.split(WORD_ENDS).map((word, index) => (
        <>
          {index > 0 && <wbr />}
          {word}
        </>
      ))}
    </>
  );
}
