/** Renders the head of a table. */
export function TableHead({ titles }: { readonly titles: readonly string[] }): preact.JSX.Element {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col">{title}</th>
        ))}
      </tr>
    </thead>
  );
}
