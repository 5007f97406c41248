package qed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/nearest"
	"github.com/qedkit/qed/internal/prompt"
)

// plainChange reads "skip", "retry", "skip KEY", "retry KEY" and "edit KEY: {...}". Without a key it is about the current task.
func plainChange(text string) (c todoChange, ok bool) {
	switch {
	case strings.Contains(text, "?") && !strings.Contains(text, "{"):
		return c, false
	case says(text, retryWords):
		return todoChange{Action: "retry"}, true
	case says(text, skipWords):
		return todoChange{Action: "skip"}, true
	}
	head, arguments, edits := strings.Cut(text, ":")
	verb, key, _ := strings.Cut(normal(head), " ")
	c = todoChange{Key: key, Action: verb, Arguments: strings.TrimSpace(arguments)}
	switch {
	case !todoKey.MatchString(key):
		return c, false
	case edits:
		_, isObject := jsonObject(arguments)
		return c, verb == "edit" && isObject
	}
	return c, verb == "skip" || verb == "retry"
}

// change makes changes to a plan: all, or, where one cannot be made, none.
func (a *todoAgent) change(l *TodoList, changes []todoChange) error {
	if len(changes) == 0 {
		return nil
	}
	var problems []error
	edited := map[string]json.RawMessage{}
	for _, c := range changes {
		t := l.task(c.Key)
		if t == nil {
			problems = append(problems, l.unknown(c.Key))
			continue
		}
		if c.Action != "skip" {
			problems = append(problems, a.onceOnly(l, c.Key, changes)...)
		}
		if c.Action != "edit" || c.Arguments == "" {
			continue
		}
		arguments, err := a.planned(t.Tool).check(json.RawMessage(c.Arguments))
		if err != nil {
			problems = append(problems, fmt.Errorf("task %s: the arguments are not what %s takes: %w", t.Key, t.Tool, err))
			continue
		}
		if err := a.refersBack(l, t.Key, arguments); err != nil {
			problems = append(problems, err)
		}
		edited[t.Key] = arguments
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	for _, c := range changes {
		t := l.task(c.Key)
		switch c.Action {
		case "skip":
			l.skip(c.Key, "the user wants it skipped")
		default:
			if arguments, ok := edited[c.Key]; ok {
				t.Attempt = max(t.Attempt, 1) // it may have begun, otherwise, in a turn that was stopped
				t.Arguments = arguments
				t.After = after(t.After, arguments)
			}
			if c.Action == "edit" && strings.TrimSpace(c.Description) != "" {
				t.Description = prompt.Clip(strings.TrimSpace(c.Description), maxDescription)
			}
			l.again(c.Key)
		}
	}
	l.advance()
	if t := l.task(l.Current); t != nil && t.Status == TodoFailed && a.repeatable(t) {
		t.reset()
	}
	return nil
}

// onceOnly says which tasks would be done again, as they rest on one that is, though their tools must not be called twice and nobody said
// that they are to be.
func (a *todoAgent) onceOnly(l *TodoList, key string, changes []todoChange) (problems []error) {
	for _, k := range l.dependents(key) {
		t := l.task(k)
		if t.Status == TodoComplete && !a.repeatable(t) && !slices.ContainsFunc(changes, func(c todoChange) bool { return c.Key == k }) {
			problems = append(problems, fmt.Errorf("task %s rests on %s, is done, and must not be done again by itself: skip it or retry it as well", k, key))
		}
	}
	return problems
}

// unknown is the error for a task that does not exist.
func (l *TodoList) unknown(key string) error {
	hint := ""
	if near := nearest.Names(key, l.keys(), 1); len(near) > 0 {
		hint = "; did you mean " + near[0] + "?"
	}
	return fmt.Errorf("the plan has no task %q%s The tasks are %s", prompt.Clip(key, 100), hint, strings.Join(l.keys(), ", "))
}

// refersBack says whether arguments of a task name only results of tasks before it, and of these what can be there.
func (a *todoAgent) refersBack(l *TodoList, key string, arguments json.RawMessage) error {
	keys := l.keys()
	at := slices.Index(keys, key)
	v, err := decodeAny(arguments)
	if err != nil {
		return err
	}
	var problems []error
	eachReference(v, func(needs, pointer string) {
		i := slices.Index(keys, needs)
		if i < 0 || i >= at {
			problems = append(problems, fmt.Errorf("task %s: its arguments name the result of %q, which is no task before it", key, prompt.Clip(needs, 100)))
			return
		}
		tool, ok := a.plans[l.Tasks[i].Tool]
		if !ok || tool.returns == nil || pointer == "" {
			return
		}
		name, _, _ := strings.Cut(pointer[1:], "/")
		if !slices.Contains(tool.returns, name) {
			problems = append(problems, fmt.Errorf("task %s: the result of %s has no %q: %s returns %s", key, needs, prompt.Clip(name, 100), tool.Name, strings.Join(tool.returns, ", ")))
		}
	})
	return errors.Join(problems...)
}
