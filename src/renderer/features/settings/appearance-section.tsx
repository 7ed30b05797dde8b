import { Select } from '../../kit/select.tsx'
import { useTheme } from '../../kit/theme.ts'
import { Row, Section } from './section.tsx'

export function AppearanceSection() {
  const { theme, setTheme } = useTheme()
  return (
    <Section title="Appearance">
      <Row title="Theme" text="Light, dark or match system.">
        <Select
          label="Theme"
          className="w-52"
          value={theme}
          options={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={setTheme}
        />
      </Row>
    </Section>
  )
}
