package searchagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/question"
)

// choose interrupts the run and asks the user which of several documents is meant. If
// the run cannot be interrupted, the task fails, and the answer lists the choices.
func (a *agent) choose(ctx context.Context, s state) (state, error) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Phase != choosing {
			continue
		}
		chosen, err := qed.Interrupt[string](ctx, t.question(a.reader.texts(ctx)))
		switch {
		case errors.Is(err, qed.ErrCannotInterrupt):
			t.Told = t.step(a.reader.texts(ctx).StepSeveral, "choices", t.listed())
			t.fail(ctx, "there are %s documents, and one is needed: %s", t.total(), t.listed())
			continue
		case errors.Is(err, qed.ErrInterrupted):
			qed.Emit(ctx, qed.TaskFinished{Key: t.Key, Rows: t.Query.Rows, Millis: t.Query.Millis, Interrupted: true})
			return s, err
		case err != nil:
			return s, err
		}
		docs, err := t.Found.documents(ctx)
		if err != nil {
			return s, err
		}
		n, err := strconv.Atoi(chosen)
		if err != nil || n < 1 || n > min(len(docs), len(t.Choices)) {
			return s, fmt.Errorf("searchagent: task %s: there is no choice %s",
				t.Key, prompt.Quote(prompt.Clip(chosen, maxName)))
		}
		t.Chosen = t.Choices[n-1]
		doc := docs[n-1 : n]
		if err := t.Found.keep(ctx, doc, 0); err != nil {
			return s, err
		}
		if err := t.keep(ctx, a.reader.table(t.Index, doc, columns(doc, t.Show, a.opt.MaxColumns))); err != nil {
			return s, err
		}
		t.finish(ctx)
	}
	return s, nil
}

// question returns the question to the user.
func (t *task) question(texts *Texts) question.Question {
	text := texts.Which
	if int64(len(t.Choices)) < t.Total {
		text = texts.WhichFirst
	}
	q := question.Question{Text: t.step(text, "total", t.totalText(texts), "shown", strconv.Itoa(len(t.Choices)))}
	for i, text := range t.Choices {
		q.Choices = append(q.Choices, question.Choice{ID: strconv.Itoa(i + 1), Text: text})
	}
	return q
}

func (t *task) listed() string {
	parts := make([]string, len(t.Choices))
	for i, text := range t.Choices {
		parts[i] = fmt.Sprintf("(%d) %s", i+1, text)
	}
	return strings.Join(parts, ", ")
}

// choices returns a line for each document that distinguishes it from the others. It
// has the few fields in which they differ most, and the id if nothing else differs.
func choices(docs []document) []string {
	all := make([]map[string]any, len(docs))
	differ, long := map[string]map[string]bool{}, map[string]int{} // the values of each field; 1 if they are prose
	for i, d := range docs {
		all[i] = leaves(decoded(d.Source))
		for path, v := range all[i] {
			if differ[path] == nil {
				differ[path] = map[string]bool{}
			}
			differ[path][shown(v)] = true
			if text, ok := v.(string); ok && len(text) > maxValue {
				long[path] = 1
			}
		}
	}
	// A field that some documents do not have distinguishes them as well.
	for path, values := range differ {
		for _, doc := range all {
			if _, ok := doc[path]; !ok {
				values[""] = true
			}
		}
		if len(values) < 2 {
			delete(differ, path)
		}
	}
	fields := slices.SortedFunc(maps.Keys(differ), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), long[a]-long[b], len(differ[b])-len(differ[a]), len(a)-len(b), strings.Compare(a, b))
	})
	fields = fields[:min(len(fields), maxDistinct)]
	lines := make([]string, len(docs))
	taken := map[string]bool{}
	for i, doc := range all {
		var parts []string
		for _, path := range fields {
			if v, ok := doc[path]; ok {
				parts = append(parts, path+": "+shown(v))
			}
		}
		line := strings.Join(parts, ", ")
		if line == "" || taken[line] {
			line = strings.TrimPrefix(line+", _id: "+prompt.Clip(oneLine(docs[i].ID), maxValue), ", ")
		}
		if taken[line] { // the same id, in two indices
			line += ", " + strconv.Itoa(i+1)
		}
		taken[line] = true
		lines[i] = line
	}
	return lines
}

func shown(v any) string {
	text := fmt.Sprint(v)
	return prompt.Clip(oneLine(text), maxValue)
}

const (
	maxDistinct = 4  // fields that distinguish documents
	maxValue    = 80 // bytes of one
)
