import { keyboardDriver } from '../input-drivers/keyboard.ts'
import { mouseDriver } from '../input-drivers/mouse.ts'
import { describeTasks } from '../tasks/describe-tasks.ts'

describeTasks('keyboard', keyboardDriver)
describeTasks('mouse', mouseDriver)
