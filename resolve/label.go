package resolve

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed"
)

// A label says what a candidate is called, and what tells it from others of its name.
type label struct {
	name    string
	kind    string   // of a field, its source
	kinds   []string // words for its kind, this one too
	aliases []string
	about   string // a description, shown beside the name
	details []detail
	id      string
}

type detail struct{ key, value string }

// all is everything that is known beside name and kind, for a model.
func (l *label) all() string {
	var parts []string
	for _, d := range l.details {
		parts = append(parts, d.key+": "+d.value)
	}
	if l.about != "" {
		parts = append(parts, l.about)
	}
	return oneSpace(strings.Join(parts, ", "))
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// namesakes returns labels by their names.
func namesakes(labels []label) map[string][]*label {
	same := map[string][]*label{}
	for i := range labels {
		key := fold(labels[i].name)
		same[key] = append(same[key], &labels[i])
	}
	return same
}

// namesOf returns what labels are called: a name that several have with what differs between them,
// and one of another kind than was asked for with its kind.
func namesOf(labels []label, kind string) []string {
	same := namesakes(labels)
	names := make([]string, len(labels))
	for i := range labels {
		l := &labels[i]
		names[i] = oneLine(l.name)
		if extra := l.differs(same[fold(l.name)], kind); extra != "" {
			names[i] += " (" + extra + ")"
		}
	}
	return names
}

// optionsOf returns labels to choose from, called as by [namesOf]. The ID of an option is its name,
// where that tells it.
func optionsOf(labels []label, kind string) []qed.Choice {
	same, names := namesakes(labels), namesOf(labels, kind)
	options := make([]qed.Choice, len(labels))
	taken := map[string]bool{"": true, noneID: true}
	for i := range labels {
		l, text := &labels[i], names[i]
		if name := oneLine(l.name); len(same[fold(l.name)]) == 1 && !isNumber(name) {
			options[i].ID = name
		}
		if l.about != "" {
			text += ": " + oneLine(l.about)
		}
		if key := strings.ToLower(options[i].ID); taken[key] {
			options[i].ID = strconv.Itoa(i + 1)
		} else {
			taken[key] = true
		}
		options[i].Text = text
	}
	return options
}

// isNumber reports whether a name could be taken for the number of an option.
func isNumber(text string) bool { return strings.Trim(text, "0123456789 #.") == "" }

// differs says in what l differs from others of its name: its kind and a few attributes, and its ID
// where those do not tell. Its kind is also told where another one was asked for.
func (l *label) differs(group []*label, asked string) string {
	var parts []string
	add := func(text, value string, of func(*label) string) {
		for _, other := range group {
			if value != "" && of(other) != value && len(parts) < maxTelling {
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
	if !l.told(group) && l.id != "" {
		parts = append(parts, "id: "+oneLine(l.id))
	}
	return strings.Join(parts, ", ")
}

const maxTelling = 3

// told reports whether kind and the first attributes tell l from all others.
func (l *label) told(group []*label) bool {
	for _, other := range group {
		if other == l || other.kind != l.kind {
			continue
		}
		differ := false
		for i, d := range l.details {
			differ = differ || i < maxTelling-1 && other.value(d.key) != d.value
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
