import type { Locator } from '@playwright/test'
import type { View } from '../views.ts'

/** A user's actions in the window, by keyboard or by mouse. */
export interface InputDriver {
  name: 'keyboard' | 'mouse'
  goTo(view: View): Promise<void>
  /** Activates a button, a link or a row. */
  press(target: Locator): Promise<void>
  /** Toggles a switch or a checkbox. */
  toggle(target: Locator): Promise<void>
  /** Replaces the content of a field. */
  fill(field: Locator, text: string): Promise<void>
  /** Submits the form that was filled in last: with Enter, or with its button. */
  submit(button: Locator): Promise<void>
  /** Leaves a field that saves itself: with Enter, or with a click elsewhere. */
  leaveField(): Promise<void>
  /** Opens a select or a menu and chooses the item with this name. */
  select(trigger: Locator, name: string | RegExp): Promise<void>
  /** Opens a searchable list, types `text` and chooses the match. */
  searchAndSelect(trigger: Locator, text: string): Promise<void>
  /** Chooses one segment of a segmented control. */
  selectSegment(group: Locator, name: string): Promise<void>
  selectTab(tabs: Locator, name: string): Promise<void>
  /** Increases the value of a slider. */
  moveSlider(thumb: Locator): Promise<void>
  /** Opens the first of a list of rows, of which only one is in the tab order. */
  openFirstRow(rows: Locator): Promise<void>
  /** Opens the requests of the last column of a chart, as a whole. */
  openLastColumn(chart: Locator): Promise<void>
  /** Shows the parts of a row of a tree. */
  expandRow(row: Locator): Promise<void>
  /** Opens a row of a list or tree, of which only one is in the tab order. */
  openRow(row: Locator): Promise<void>
  /** Goes from an open row to the one below it. */
  openNextRow(rowBelow: Locator): Promise<void>
  /** Moves an item of an ordered list to the position of the one above it. */
  moveUp(item: Locator, above: Locator): Promise<void>
  /** Closes a dialog or panel. */
  close(panel: Locator): Promise<void>
  /** Runs a command of the palette. */
  runCommand(name: string): Promise<void>
}
