import { describeFirstUser } from '../first-user.ts'

describeFirstUser('the desktop app')
describeFirstUser('a browser')
