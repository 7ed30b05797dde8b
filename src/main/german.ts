// The German texts of the main process, in a file that loads only where they are shown.
import common from '../shared/de.json' with { type: 'json' }
import own from './de.json' with { type: 'json' }

export default [common, own]
