import { test } from '../app.ts'
import { keyboardDriver } from '../input-drivers/keyboard.ts'
import { mouseDriver } from '../input-drivers/mouse.ts'
import { describeTasks } from '../tasks/describe-tasks.ts'

// One app for each device.
test.describe.configure({ mode: 'parallel' })

describeTasks('keyboard', keyboardDriver)
describeTasks('mouse', mouseDriver)
