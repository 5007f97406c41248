package todoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/phrase"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// plainChanges reads "skip", "retry", "skip KEY", "retry KEY and KEY" and "edit KEY: {...}", several on a line each. Without a key it is about the
// current task.
func plainChanges(text string) ([]taskChange, bool) {
	switch {
	case strings.Contains(text, "?") && !strings.Contains(text, "{"):
		return nil, false
	case phrase.Says(text, retryWords):
		return []taskChange{{Action: "retry"}}, true
	case phrase.Says(text, skipWords):
		return []taskChange{{Action: "skip"}}, true
	}
	var all []taskChange
	for line := range strings.Lines(strings.TrimSpace(text)) {
		changes, ok := plainLine(line)
		if !ok {
			return nil, false
		}
		all = append(all, changes...)
	}
	return all, len(all) > 0
}

// plainLine reads a line of plain changes: all of one verb.
func plainLine(line string) ([]taskChange, bool) {
	head, arguments, edits := strings.Cut(line, ":")
	verb, keys, _ := strings.Cut(phrase.Normal(head), " ")
	if edits {
		isObject := strings.HasPrefix(strings.TrimSpace(arguments), "{") && json.Valid([]byte(arguments))
		return []taskChange{{Key: keys, Action: verb, Arguments: strings.TrimSpace(arguments)}}, verb == "edit" && isObject && todoKey.MatchString(keys)
	}
	var all []taskChange
	for key := range strings.SplitSeq(strings.ReplaceAll(keys, " and ", ","), ",") {
		if key = strings.TrimPrefix(strings.TrimSpace(key), verb+" "); !todoKey.MatchString(key) {
			return nil, false
		}
		all = append(all, taskChange{Key: key, Action: verb})
	}
	return all, verb == "skip" || verb == "retry"
}

// change makes changes to a plan: all, or, where one cannot be made, none. own says that they are in the user's own words, and not in those of
// the model that read them.
func (a *agent) change(ctx context.Context, l *plan, changes []taskChange, own bool) error {
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
			problems = append(problems, a.onceOnly(ctx, l, c.Key, changes)...)
			if !own && !a.repeatable(ctx, l, t) {
				problems = append(problems, fmt.Errorf(`task %s has run, and its tool must not be called again unless the user says so himself: "retry %s", or "edit %s: {..}" with other arguments`, c.Key, c.Key, c.Key))
			}
		}
		if c.Action != "edit" || c.Arguments == "" {
			continue
		}
		arguments, err := a.planned(t.Tool).check(json.RawMessage(c.Arguments))
		if err != nil {
			problems = append(problems, fmt.Errorf("task %s: the arguments are not what %s takes: %w", t.Key, t.Tool, err))
			continue
		}
		if err := a.fits(l, t.Key, arguments); err != nil {
			problems = append(problems, err)
		}
		edited[t.Key] = arguments
	}
	if problem := errors.Join(problems...); problem != nil {
		return problem
	}
	for _, c := range changes {
		t := l.task(c.Key)
		switch c.Action {
		case "skip":
			l.skip(c.Key)
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
			t.CanInterrupt = a.planned(t.Tool).Interrupts // the user is there
		}
	}
	l.advance()
	if t := l.task(l.Current); t != nil && t.Status == qed.TodoFailed && a.repeatable(ctx, l, t) {
		reset(t)
	}
	return nil
}

// onceOnly says which tasks would be done again, as they rest on one that is, though their tools must not be called twice and nobody said
// that they are to be.
func (a *agent) onceOnly(ctx context.Context, l *plan, key string, changes []taskChange) (problems []error) {
	for _, k := range l.dependents(key) {
		t := l.task(k)
		named := slices.ContainsFunc(changes, func(c taskChange) bool { return c.Key == k })
		left := t.Status == qed.TodoSkipped && t.Problem == unwanted
		if !left && !named && !a.repeatable(ctx, l, t) {
			problems = append(problems, fmt.Errorf(`task %s rests on %s, has run, and must not be done again by itself: have it skipped ("skip %s") or done again in the same message (a line "retry %s")`, k, key, k, k))
		}
	}
	return problems
}

// unknown is the error for a task that does not exist.
func (l *plan) unknown(key string) error {
	hint := ""
	if near := refusal.Nearest(key, l.keys(), 1); len(near) > 0 {
		hint = "; did you mean " + near[0] + "?"
	}
	return fmt.Errorf("the plan has no task %q%s The tasks are %s", prompt.Clip(key, 100), hint, strings.Join(l.keys(), ", "))
}

// fits says whether arguments of a task name only results of tasks before it, of these what can be there, and have no rows but by such a name.
func (a *agent) fits(l *plan, key string, arguments json.RawMessage) error {
	keys := l.keys()
	at := slices.Index(keys, key)
	v, err := decodeAny(arguments)
	if err != nil {
		return err
	}
	var problems []error
	if hasRows(v) {
		problems = append(problems, fmt.Errorf(`task %s: rows are those that a task before it found, {"$result": "KEY/rows"}, and never written out`, key))
	}
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
