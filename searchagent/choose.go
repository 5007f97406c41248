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
)

// choose asks the user which of several documents he means, where one is needed. Where
// nobody can be asked, the step ends here, and the answer has the choices.
func (a *agent) choose(ctx context.Context, s state) (state, error) {
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Phase != choosing {
			continue
		}
		chosen, err := qed.Interrupt[string](ctx, st.question())
		switch {
		case errors.Is(err, qed.ErrCannotInterrupt):
			st.fail(ctx, "%s, and one is needed: %s", strings.TrimSuffix(st.severally(), "."), st.listed())
			continue
		case errors.Is(err, qed.ErrInterrupted):
			qed.Emit(ctx, qed.TaskFinished{Key: st.Key, Rows: st.Query.Rows, Millis: st.Query.Millis, Interrupted: true})
			return s, err
		case err != nil:
			return s, err
		}
		docs, err := st.Found.documents(ctx)
		if err != nil {
			return s, err
		}
		n, err := strconv.Atoi(chosen)
		if err != nil || n < 1 || n > min(len(docs), len(st.Choices)) {
			return s, fmt.Errorf("searchagent: step %s: there is no choice %s", st.Key, prompt.Quote(prompt.Clip(chosen, maxName)))
		}
		st.Chosen = st.Choices[n-1]
		doc := docs[n-1 : n]
		if err := st.Found.keep(ctx, doc, 0); err != nil {
			return s, err
		}
		if err := st.keep(ctx, rows(doc, columns(doc, st.Show, a.opt.MaxColumns))); err != nil {
			return s, err
		}
		st.finish(ctx)
	}
	return s, nil
}

// question asks which of the documents is meant.
func (st *step) question() qed.Question {
	q := qed.Question{Text: st.severally() + " Which one do you mean?"}
	for i, text := range st.Choices {
		q.Choices = append(q.Choices, qed.Choice{ID: strconv.Itoa(i + 1), Text: text})
	}
	return q
}

// severally says how many documents there are, in a sentence.
func (st *step) severally() string {
	text := fmt.Sprintf("I found %s documents for %s", st.total(), prompt.Quote(st.Task))
	if int64(len(st.Choices)) < st.Total {
		text += fmt.Sprintf("; these are the first %d", len(st.Choices))
	}
	return text + "."
}

func (st *step) listed() string {
	parts := make([]string, len(st.Choices))
	for i, text := range st.Choices {
		parts[i] = fmt.Sprintf("(%d) %s", i+1, text)
	}
	return strings.Join(parts, ", ")
}

// choices returns for each of several documents a line that tells it from the others:
// by the few fields in which they differ most, and their ids where nothing else does.
func choices(docs []document) []string {
	all := make([]map[string]any, len(docs))
	differ, long := map[string]map[string]bool{}, map[string]int{} // the values of each field; 1 where they are prose
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
	// A field that some do not have tells them apart as well.
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
	fields = fields[:min(len(fields), maxTelling)]
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
	maxTelling = 4  // fields that tell documents apart
	maxValue   = 80 // bytes of one
)
