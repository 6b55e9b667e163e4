/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of states: all states of a class have one colour.
 */
/* {name, title, has}: the name of the colour, the name that the page shows, and a pattern of the states. */
export const CLASSES = [
	['work', 'work', /^work/],
	['overhead', 'runtime', /^overhead/],
	['tasks', 'waiting for tasks', /^wait_task/],
	['barrier', 'waiting at barriers', /^wait_barrier/],
	['mutex', 'waiting for mutexes', /^wait_(mutex|lock|critical|atomic|ordered)/],
	['target', 'waiting for devices', /^wait_target/],
	['preempted', 'preempted', /^preempted/],
	['blocked', 'blocked', /^blocked/],
	['idle', 'idle', /^idle/],
	['unknown', 'unknown', /./],
].map(([name, title, has]) => ({ name, title, has }));

const indexOf = name => CLASSES.findIndex(c => c.name === name);

/* The index of a state's class. */
export const classOf = state => CLASSES.findIndex(c => c.has.test(state));

/* Kinds of activities are the states of a device's queue. QUEUE_CLASSES has the classes whose colours they take. */
export const KINDS = ['kernel', 'transfer', 'other activity'];
export const QUEUE_CLASSES = ['work', 'target', 'overhead'].map(indexOf);
