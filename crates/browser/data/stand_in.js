// Substitute for a blocked script: the globals that pages expect accept every call, do nothing, and call callbacks at once.
// Sent by the egress proxy with the list of globals (stand_ins.txt) as its argument. Must never store, send or show anything.
(function (globals) {
  'use strict';
  const CALLBACKS = ['hitCallback', 'eventCallback', 'event_callback', 'callback', 'loaded', 'onReady'];
  // Callbacks for later events are not called: no event follows.
  const isLater = (name) => /listener|subscribe|^(on|off|once|set|define|provide|register)/i.test(name);
  // Not our own objects, which would call themselves endlessly.
  const own = new WeakSet();
  const soon = (run) => own.has(run) || setTimeout(() => run.call(nothing, nothing), 0);

  /** Calls the callbacks among the arguments of a call. */
  function callBack(args) {
    for (const given of Array.from(args)) {
      if (typeof given === 'function') soon(given);
      else if (given && typeof given === 'object') {
        for (const name of CALLBACKS) if (typeof given[name] === 'function') soon(given[name]);
      }
    }
  }

  /** Processes an entry of a queue: a function, a call as a list of its arguments, or an event. */
  function take(entry) {
    const isCall = entry && typeof entry === 'object' && typeof entry.length === 'number';
    if (isCall && typeof entry[0] === 'string' && isLater(entry[0])) return;
    callBack(isCall ? entry : [entry]);
  }

  const ANSWERS = {
    __proto__: null,
    length: 0,
    name: '',
    then: undefined,
    toJSON: () => null,
    toString: () => '',
    [Symbol.toPrimitive]: () => '',
    [Symbol.iterator]: () => [][Symbol.iterator](),
  };
  const parts = new Map();

  /** Makes an object that accepts every call and has every property. */
  function absorber(name) {
    const made = new Proxy(function () {}, {
      get(target, part) {
        if (part in ANSWERS) return ANSWERS[part];
        if (Object.hasOwn(target, part)) return target[part];
        if (typeof part === 'symbol') return undefined;
        if (part !== 'push' && typeof [][part] === 'function') return [][part].bind([]);
        if (/^(is|has|should|can)[A-Z_]/.test(part) && !/ready|loaded|init/i.test(part)) return () => false;
        if (!parts.has(part)) parts.set(part, absorber(part));
        return parts.get(part);
      },
      apply(_target, _self, args) {
        if (!isLater(name) && !(typeof args[0] === 'string' && isLater(args[0]))) callBack(args);
        return nothing;
      },
      construct: () => nothing,
    });
    own.add(made);
    return made;
  }
  const nothing = absorber('');

  const kinds = {
    /** Defines a function, and processes the queue of earlier calls. */
    call(name) {
      const before = window[name];
      window[name] = absorber('');
      for (const queue of [before?.q, before?.queue, before?.a]) Array.from(queue || []).forEach(take);
    },
    /** Defines an array that others push to and keep references to. */
    queue(name) {
      const list = Array.isArray(window[name]) ? window[name] : [];
      window[name] = list;
      list.forEach(take);
      list.push = (...entries) => {
        entries.forEach(take);
        return Array.prototype.push.apply(list, entries);
      };
      list.loaded = true;
      // A page that hides itself until this script has loaded.
      if (typeof list.hide?.end === 'function') list.hide.end();
    },
    /** Defines such an array for advertisement slots, which are marked as processed and unfilled. */
    slots(name) {
      kinds.queue(name);
      const list = window[name];
      const { push } = list;
      const mark = () => {
        for (const slot of document.querySelectorAll(`ins.${name}:not([data-${name}-status])`)) {
          slot.setAttribute(`data-${name}-status`, 'done');
          slot.setAttribute('data-ad-status', 'unfilled');
        }
      };
      list.push = (...entries) => {
        const length = push(...entries);
        mark();
        return length;
      };
      if (list.length > 0) mark();
    },
    /** Defines an object with methods, and processes the queues of earlier calls. */
    object(name) {
      const before = window[name];
      window[name] = absorber('');
      const queues = [Array.isArray(before) && before, before?.cmd, before?.que, before?.queue, before?.q, before?._q, before?._i];
      for (const queue of queues) if (Array.isArray(queue)) queue.forEach(take);
    },
    /** Defines a flag. */
    sign(name) {
      window[name] = 1;
    },
    /** Calls a function that the page has defined for the loaded script. */
    start(name) {
      if (typeof window[name] === 'function') soon(window[name]);
    },
  };
  for (const [kind, name] of globals) {
    try {
      kinds[kind](name);
    } catch {
      // The page keeps the name for itself.
    }
  }
})
