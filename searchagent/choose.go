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
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
)

// choose interrupts the run and asks the user which of several documents is meant. If
// the run cannot be interrupted, or too many questions were asked, the task fails, and
// the answer lists the choices.
func (a *agent) choose(ctx context.Context, s state) (state, error) {
	texts := a.reader.texts(ctx)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Phase != choosing {
			continue
		}
		docs, err := t.Found.documents(ctx)
		if err != nil {
			return s, err
		}
		chosen, text, err := t.chosen(ctx, texts, docs)
		switch {
		case errors.Is(err, qed.ErrCannotInterrupt), errors.Is(err, qed.ErrTooManyQuestions):
			listed := t.listed(texts, docs)
			t.Told = t.step(texts.StepSeveral, "choices", listed)
			t.fail(ctx, "there are %s documents, and one is needed: %s", t.total(), listed)
			continue
		case errors.Is(err, qed.ErrInterrupted):
			qed.Emit(ctx, qed.TaskFinished{Key: t.Key, Rows: t.Query.Rows, Millis: t.Query.Millis, Interrupted: true})
			return s, err
		case err != nil:
			return s, err
		case len(chosen) == 0:
			t.Told = t.step(texts.StepNone)
			t.fail(ctx, "there are %s documents, and the user means none of them", t.total())
			continue
		}
		t.Chosen = text
		if err := t.Found.keep(ctx, chosen, 0, 1); err != nil {
			return s, err
		}
		if err := t.keep(ctx, a.reader.table(t.Index, chosen, columns(chosen, t.Show, maxColumns))); err != nil {
			return s, err
		}
		t.finish(ctx)
	}
	return s, nil
}

// chosen returns the document that the user means, with its description, or none if
// the user means none of docs. Of many documents the first ones can be chosen. A resumed
// run repeats the question with its reply.
func (t *task) chosen(ctx context.Context, texts *texts, docs []document) ([]document, string, error) {
	docs = docs[:min(len(docs), maxChoices)]
	lines := choices(docs)
	reply, err := qed.Interrupt[string](ctx, t.question(texts, lines))
	if err != nil || reply == noChoice {
		return nil, "", err
	}
	n, err := strconv.Atoi(reply)
	if err != nil || n < 1 || n > len(docs) {
		return nil, "", fmt.Errorf("searchagent: task %s: there is no choice %s",
			t.Key, prompt.Quote(prompt.Clip(reply, maxName)))
	}
	return docs[n-1 : n], lines[n-1], nil
}

// question returns the question which of a few documents is meant. If there are more,
// the user can also choose none of them.
func (t *task) question(texts *texts, lines []string) question.Question {
	text, more := texts.Which, int64(len(lines)) < t.Total
	if more {
		text = texts.WhichFirst
	}
	q := question.Question{Text: t.step(text, "total", t.totalText(texts), "shown", texts.number(int64(len(lines))))}
	for i, line := range lines {
		q.Choices = append(q.Choices, question.Choice{ID: strconv.Itoa(i + 1), Text: line})
	}
	if more {
		q.Choices = append(q.Choices, question.Choice{ID: noChoice, Text: texts.NoneOfThem})
	}
	return q
}

// listed returns the choices as a part of a sentence.
func (t *task) listed(texts *texts, docs []document) string {
	lines := choices(docs[:min(len(docs), maxChoices)])
	for i := range lines {
		lines[i] = fmt.Sprintf("(%d) %s", i+1, lines[i])
	}
	text := strings.Join(lines, ", ")
	if more := t.Total - int64(len(lines)); more > 0 {
		text += " " + usertext.Fill(texts.Others, "n", texts.number(more))
	}
	return text
}

// choices returns a line for each document that distinguishes it from the others: its
// name, its path and the few other fields in which they differ most, and the id if
// nothing else differs.
func choices(docs []document) []string {
	all := lists.Map(docs, func(d document) map[string]any { return leaves(decoded(d.Source)) })
	fields := differing(all)
	lines, times := make([]string, len(docs)), map[string]int{}
	for i := range docs {
		lines[i] = docs[i].choice(all[i], fields)
		times[lines[i]]++
	}
	taken := map[string]bool{}
	for i, line := range lines {
		if line == "" || times[line] > 1 {
			line = strings.TrimPrefix(line+", _id: "+prompt.Clip(prompt.OneLine(docs[i].ID), maxValue), ", ")
		}
		if taken[line] { // the same id, in two indices
			line += ", " + strconv.Itoa(i+1)
		}
		taken[line] = true
		lines[i] = line
	}
	return lines
}

// choice returns the name of a document and its values of the fields.
func (d document) choice(values map[string]any, fields []string) string {
	var parts []string
	if title := d.title(); title != d.ID {
		parts = append(parts, title)
	}
	for _, path := range fields {
		v, ok := values[path]
		switch {
		case !ok || slices.Contains(parts, shown(v)):
		case familiar(path) == location:
			parts = append(parts, shown(v))
		default:
			parts = append(parts, path[strings.LastIndexByte(path, '.')+1:]+": "+shown(v))
		}
	}
	return strings.Join(parts, ", ")
}

// differing returns the fields in which the documents differ most, the most familiar
// first. Identifiers are not among them.
func differing(all []map[string]any) []string {
	values, long := map[string]map[string]bool{}, map[string]int{} // of each field; 1 if they are prose
	for _, doc := range all {
		for path, v := range doc {
			if values[path] == nil {
				values[path] = map[string]bool{}
			}
			values[path][shown(v)] = true
			if text, ok := v.(string); ok && len(text) > maxValue {
				long[path] = 1
			}
		}
	}
	same := func(path string, values map[string]bool) bool {
		lacks := func(doc map[string]any) bool { _, ok := doc[path]; return !ok }
		return familiar(path) == identifier || len(values) < 2 && !slices.ContainsFunc(all, lacks)
	}
	maps.DeleteFunc(values, same)
	fields := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(familiar(a)-familiar(b), long[a]-long[b], len(values[b])-len(values[a]), len(a)-len(b), strings.Compare(a, b))
	})
	return fields[:min(len(fields), maxDistinct)]
}

// The kinds of fields, those first by which people know a document. Before them are the
// names, by their rank.
const (
	location = 100 + iota
	property
	identifier
)

var (
	locations   = strings.Fields("path fullpath filepath folder folderpath directory location pfad dateipfad ordner verzeichnis ablage")
	identifiers = []string{"id", "ids", "uuid", "guid", "hash", "checksum", "etag"}
)

// familiar returns the kind of a field by the last part of its path.
func familiar(path string) int {
	last := path[strings.LastIndexByte(path, '.')+1:]
	words := textmatch.Split(textmatch.Spaced(last), nil)
	switch {
	case rank(path) < len(titles):
		return rank(path)
	case slices.Contains(locations, strings.ToLower(strings.ReplaceAll(last, "_", ""))):
		return location
	case len(words) > 0 && slices.Contains(identifiers, words[len(words)-1]):
		return identifier
	}
	return property
}

func shown(v any) string {
	text := fmt.Sprint(v)
	return prompt.Clip(prompt.OneLine(text), maxValue)
}

const (
	maxDistinct = 4  // fields that distinguish documents
	maxValue    = 80 // bytes of one

	noChoice = "none" // the ID of the choice of none of the documents
)
