type DefinedFields<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** A copy without the members that are undefined, as `exactOptionalPropertyTypes` wants it. */
export function omitUndefined<T extends object>(value: T): DefinedFields<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as DefinedFields<T>
}

/** The fields of a stored row that the API's schema has too, for its view. */
export function pickFields<Row extends object, Shape extends object>(
  row: Row,
  { shape }: { shape: Shape },
): Pick<Row, keyof Row & keyof Shape> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in shape)) as Pick<
    Row,
    keyof Row & keyof Shape
  >
}
