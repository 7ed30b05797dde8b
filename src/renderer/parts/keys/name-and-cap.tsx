import type { ComponentProps } from 'react'
import { TextField } from '../../kit/field.tsx'

type FieldProps = Omit<ComponentProps<typeof TextField>, 'label'>

/** The name of a key. */
export function KeyNameField(props: FieldProps) {
  return <TextField label="Name" maxLength={100} {...props} />
}

/** The spend at which a key stops; blank for no cap. */
export function CapField(props: FieldProps) {
  return <TextField label="Spend cap (USD)" inputMode="decimal" placeholder="No cap" {...props} />
}
