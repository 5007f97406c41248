package resolve

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/question"
)

// A label has the name of a candidate and the properties that distinguish it from
// others of that name.
type label struct {
	name    string
	kind    string // for a field, its source
	about   string // a description, shown after the name
	details []detail
	id      string
}

type detail struct{ key, value string }

// properties returns the details and the description, for a model.
func (l *label) properties() string {
	parts := lists.Map(l.details, func(d detail) string { return d.key + ": " + d.value })
	if l.about != "" {
		parts = append(parts, l.about)
	}
	return strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
}

// byName groups labels by their names.
func byName(labels []label) map[string][]*label {
	groups := map[string][]*label{}
	for i := range labels {
		key := textmatch.Fold(labels[i].name)
		groups[key] = append(groups[key], &labels[i])
	}
	return groups
}

// namesOf returns the names of labels. If several have the same name, each is
// followed by what differs. If a label is of another kind than was asked for, its
// name is followed by its kind.
func namesOf(labels []label, kind string) []string {
	groups := byName(labels)
	names := make([]string, len(labels))
	for i := range labels {
		l := &labels[i]
		names[i] = oneLine(l.name)
		if extra := l.difference(groups[textmatch.Fold(l.name)], kind); extra != "" {
			names[i] += " (" + extra + ")"
		}
	}
	return names
}

// choicesOf returns labels as the choices of a question, with the names of
// [namesOf]. The ID of a choice is its name if that is unique, else its number.
func choicesOf(labels []label, kind string) []question.Choice {
	groups, names := byName(labels), namesOf(labels, kind)
	choices := make([]question.Choice, len(labels))
	taken := map[string]bool{"": true, noneID: true}
	for i := range labels {
		l, text := &labels[i], names[i]
		if name := oneLine(l.name); len(groups[textmatch.Fold(l.name)]) == 1 && !isNumber(name) {
			choices[i].ID = name
		}
		if l.about != "" {
			text += ": " + oneLine(l.about)
		}
		if key := strings.ToLower(choices[i].ID); taken[key] {
			choices[i].ID = strconv.Itoa(i + 1)
		} else {
			taken[key] = true
		}
		choices[i].Text = text
	}
	return choices
}

// isNumber reports whether a name could be read as the number of a choice.
func isNumber(text string) bool { return strings.Trim(text, "0123456789 #.") == "" }

// difference returns what distinguishes l from the others of its group: its kind
// and some of its details, and its ID if these are not enough. The kind is also
// returned if another kind was asked for.
func (l *label) difference(group []*label, asked string) string {
	var parts []string
	add := func(text, value string, of func(*label) string) {
		for _, other := range group {
			if value != "" && of(other) != value && len(parts) < maxDifferences {
				parts = append(parts, text)
				return
			}
		}
	}
	if l.kind != "" && asked != "" && kindKey(l.kind) != kindKey(asked) {
		parts = append(parts, oneLine(l.kind))
	} else {
		add(oneLine(l.kind), l.kind, func(o *label) string { return o.kind })
	}
	for _, d := range l.details {
		add(oneLine(d.key+": "+d.value), d.value, func(o *label) string { return o.value(d.key) })
	}
	if !l.distinct(group) && l.id != "" {
		parts = append(parts, "id: "+oneLine(l.id))
	}
	return strings.Join(parts, ", ")
}

const maxDifferences = 3

// distinct reports whether the kind and the first details distinguish l from all
// others of its group.
func (l *label) distinct(group []*label) bool {
	for _, other := range group {
		if other == l || other.kind != l.kind {
			continue
		}
		differ := false
		for i, d := range l.details {
			differ = differ || i < maxDifferences-1 && other.value(d.key) != d.value
		}
		if !differ {
			return false
		}
	}
	return true
}

func (l *label) value(key string) string {
	for _, d := range l.details {
		if d.key == key {
			return d.value
		}
	}
	return ""
}

// oneLine returns data as a text contains it: short, on one line, without
// invisible characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return prompt.Clip(strings.Join(strings.Fields(s), " "), maxShown)
}
