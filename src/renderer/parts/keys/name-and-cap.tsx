import type { ComponentProps } from 'react'
import { t } from 'ttag'
import { TextField } from '../../kit/field.tsx'

type FieldProps = Omit<ComponentProps<typeof TextField>, 'label'>

/** The name of a key. */
export function KeyNameField(props: FieldProps) {
  return <TextField label={t`Name`} maxLength={100} {...props} />
}

/** The spend at which a key stops; blank for no cap. */
export function CapField(props: FieldProps) {
  return <TextField label={t`Spend cap (USD)`} inputMode="decimal" placeholder={t`No cap`} {...props} />
}
