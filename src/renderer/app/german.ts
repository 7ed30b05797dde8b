// The German texts of the window, in a file that loads only where they are shown.
const catalogs = import.meta.glob<Record<string, string>>(['../**/de.json', '../../shared/de.json'], {
  eager: true,
  import: 'default',
})

export default Object.values(catalogs)
