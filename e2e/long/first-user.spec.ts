import { describeFirstUser } from '../first-user.ts'

describeFirstUser('a browser')
