import { keyboardDriver } from './input-drivers/keyboard.ts'
import { describeTasks } from './tasks/describe-tasks.ts'

describeTasks('keyboard', keyboardDriver)
