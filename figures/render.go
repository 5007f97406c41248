package figures

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
)

// Syntax tells a model how to refer to values. Put it into the prompt of a model
// whose text a [Text] renders, together with the rows as [Rows] returns them.
const Syntax = `Write no figure yourself: refer to it in braces, and it is filled in, formatted and with its sign.
{r3.hours} is the cell of row r3 in the column hours; {r1."late hours"} is for a name with spaces.
{sum hours}, {avg hours}, {min hours}, {max hours}, {median hours}, {distinct hours} and {count} are over all rows.
{r1.hours - r2.hours}, {r1.cost / r1.hours} and {share r1.hours of sum hours} are computed; a share is in percent.
{r3.hours:1} has one digit after the point, {sum cost:1M} million is in millions (k, M or G). Write the unit behind the brace if the column does not have it.
Names and dates of rows may be referred to in the same way: {r1.name}. Figures of the question may be repeated as they are.`

// Rows returns the rows of a table as data for a prompt, as [qed.Table.PromptLines]
// does, with the name of each row before it: r1, r2 and so on.
func Rows(t *qed.Table, limit, size int) (text string, rows int) {
	text, rows = t.PromptLines(limit, size)
	lines := strings.Split(text, "\n")
	for i := range lines[1:] {
		lines[i+1] = "r" + strconv.Itoa(i+1) + " " + lines[i+1]
	}
	return strings.Join(lines, "\n"), rows
}

// An Unknown is a reference that has no value.
type Unknown struct {
	Reference  string   // without the braces, as it was written
	Reason     string   // one sentence for a model
	Candidates []string // columns or tables that may have been meant
}

// String returns the reference and what is wrong with it.
func (u Unknown) String() string {
	text := fmt.Sprintf("{%s}: %s", u.Reference, u.Reason)
	if len(u.Candidates) > 0 {
		text += "; did you mean: " + strings.Join(u.Candidates, ", ")
	}
	return text
}

// A Result is a text whose references are replaced by their values.
type Result struct {
	Text    string
	Figures []qed.Figure // in the order of the text

	// Unproved are the numbers that the model typed and that are not in the
	// source, and the references that stay unknown.
	Unproved []string
}

// A Source is what a text is about.
type Source struct {
	// Language is how the text writes values. Empty means [English].
	Language Language

	// Tables have the values to which the text may refer.
	Tables []Table

	// Data is other data whose numbers the text may repeat, such as the question.
	// Each is what [Set.Add] takes.
	Data []any
}

// A Text replaces the references of a text by values of tables, while the text is
// written. Make one with [NewText], pass the pieces of the text to [Text.Write],
// and call [Text.Close] at its end. A Text is not safe for concurrent use.
//
// A reference is an expression in braces: see [Syntax]. A brace that begins
// nothing like a reference is text. Numbers are computed exactly, and formatted in
// the language of the text. A missing cell, and what is computed from one, is
// shown as no value; aggregates ignore missing cells. An aggregate over rows that
// are truncated is unknown.
type Text struct {
	source Source
	emit   func(string)

	pending     string // not yet rendered
	held        bool   // pending begins with an unknown reference
	corrections map[string]string
	out         strings.Builder
	figures     []qed.Figure
	powers      []int    // the units of the figures, as powers of ten
	unknown     []string // references that stay unknown
}

// NewText returns a Text about a source. emit gets the rendered pieces; nil means
// that nobody reads them.
func NewText(s Source, emit func(string)) *Text {
	if emit == nil {
		emit = func(string) {}
	}
	return &Text{source: s, emit: emit}
}

// Write renders a piece of the text. Only what may be part of a reference is held
// back, and everything from the first unknown reference on.
func (t *Text) Write(piece string) {
	t.pending += piece
	t.render(false)
}

// Unknown returns the references of the rest of the text that have no value. Call
// it after the last Write: a model can correct them, see [Text.Correct].
func (t *Text) Unknown() []Unknown {
	var all []Unknown
	rest := t.pending
	for {
		_, body, after, ok := cutReference(rest, true)
		if !ok {
			return all
		}
		rest = after
		ref, err := t.read(body)
		if err == nil {
			_, err = t.value(ref, nil)
		}
		if err == nil || slices.ContainsFunc(all, func(u Unknown) bool { return u.Reference == ref.text }) {
			continue
		}
		u := Unknown{Reference: ref.text, Reason: err.Error()}
		if e, ok := errors.AsType[*referenceError](err); ok {
			u.Candidates = e.candidates
		}
		all = append(all, u)
	}
}

// Correct replaces unknown references, given without braces, by others.
func (t *Text) Correct(replacements map[string]string) {
	t.corrections = map[string]string{}
	for old, corrected := range replacements {
		t.corrections[strings.TrimSpace(strings.Trim(old, "{}"))] = strings.Trim(strings.TrimSpace(corrected), "{}")
	}
	t.held = false
	t.render(false)
}

// Close renders the rest of the text and returns all of it.
func (t *Text) Close() Result {
	t.held = false
	t.render(true)
	text := t.out.String()
	return Result{Text: text, Figures: t.figures, Unproved: append(t.typed(text), t.unknown...)}
}

// render renders as much of the pending text as possible; at its end, all of it.
func (t *Text) render(end bool) {
	for !t.held {
		before, body, after, ok := cutReference(t.pending, end)
		t.write(before)
		if !ok {
			t.pending = t.pending[len(before):]
			return
		}
		if !t.replace(body, end) {
			t.held, t.pending = true, t.pending[len(before):]
			return
		}
		t.pending = after
	}
}

// cutReference cuts a text at its first reference. ok is false if there is none,
// or if more of the text is needed to know. before is then the text that is no
// part of a reference.
func cutReference(text string, end bool) (before, body, after string, ok bool) {
	begin := 0
	for {
		i := strings.IndexByte(text[begin:], '{')
		if i < 0 {
			return text, "", "", false
		}
		begin += i
		rest := text[begin+1:]
		n := strings.IndexAny(rest, "{}\n")
		switch {
		case n < 0 && len(rest) <= maxReference && !end:
			return text[:begin], "", "", false
		case n >= 0 && n <= maxReference && rest[n] == '}' && isReference(rest[:n]):
			return text[:begin], rest[:n], rest[n+1:], true
		}
		begin++
	}
}

// isReference reports whether a text in braces is meant as a reference.
func isReference(body string) bool {
	_, err := parseReference(body)
	return err == nil || likeReference.MatchString(body)
}

// read parses a reference, or what it was corrected to.
func (t *Text) read(body string) (reference, error) {
	ref, err := parseReference(body)
	if other, ok := t.corrections[ref.text]; ok {
		return parseReference(other)
	}
	return ref, err
}

func (t *Text) value(ref reference, sources *[]qed.FigureSource) (value, error) {
	e := evaluation{tables: t.source.Tables}
	v, err := e.value(ref.expr)
	if err == nil && ref.percent && (v.kind != number || v.unit != "" && v.unit != "%") {
		err = wrong("it is no number without a unit, so it is not shown in percent")
	}
	if err == nil && ref.power > 0 && (v.kind != number || v.ratio) {
		err = wrong("it is no amount, so it has no thousands")
	}
	if sources != nil {
		*sources = e.sources
	}
	return v, err
}

// replace writes the value of a reference, and reports whether it did. At the end
// it also writes that a reference is unknown.
func (t *Text) replace(body string, end bool) bool {
	ref, err := t.read(body)
	var v value
	var sources []qed.FigureSource
	if err == nil {
		v, err = t.value(ref, &sources)
	}
	switch {
	case err == nil:
		text := t.source.Language.format(v, ref)
		t.figures = append(t.figures, qed.Figure{Text: text, Offset: t.out.Len(), Reference: ref.text, Sources: sources})
		t.powers = append(t.powers, ref.power)
		t.write(text)
	case end:
		t.unknown = append(t.unknown, "{"+ref.text+"}")
		t.write(t.source.Language.terms().unknown)
	}
	return err == nil || end
}

func (t *Text) write(text string) {
	if text != "" {
		t.out.WriteString(text)
		t.emit(text)
	}
}

// typed returns the numbers of the text that the model typed and that are not in
// the source.
func (t *Text) typed(text string) []string {
	places := t.places(text)
	flat := plain(text)
	var typed []Number
	item := 0
	for _, n := range Find(text, t.source.Language.style()) {
		if slices.ContainsFunc(places, func(p place) bool { return p.has(&n) }) {
			continue
		}
		if n.Value == float64(item+1) && isListItem(flat, &n) {
			item++
			continue
		}
		typed = append(typed, n)
	}
	if len(typed) == 0 {
		return nil
	}
	data := t.data()
	var wrong []string
	for i := range typed {
		if !data.has(&typed[i]) {
			wrong = append(wrong, typed[i].Text)
		}
	}
	return wrong
}

// listItem is the beginning of an item of a numbered list.
var listItem = regexp.MustCompile(`^\s*(\*\*)?\d+[.)]\s`)

// isListItem reports whether n numbers an item of a list in a plain text.
func isListItem(flat string, n *Number) bool {
	line := strings.LastIndexByte(flat[:n.begin], '\n') + 1
	end := min(len(flat), n.end+2)
	return listItem.MatchString(flat[line:end]) && strings.TrimLeft(flat[line:n.begin], " \t*") == ""
}

// A place is where a figure stands in the plain form of a text.
type place struct{ begin, end, power int }

// has reports whether n is the figure or a part of it. With a power, the text has
// to name it: {sum cost:1M} million.
func (p place) has(n *Number) bool {
	if p.power != 0 {
		return n.begin == p.begin && n.power == p.power
	}
	return p.begin <= n.begin && n.end <= p.end
}

// places returns the places of the figures.
func (t *Text) places(text string) []place {
	places := make([]place, len(t.figures))
	at, plainAt := 0, 0
	for i, f := range t.figures {
		plainAt += len(plain(text[at:f.Offset]))
		end := plainAt + len(plain(f.Text))
		places[i] = place{plainAt, end, t.powers[i]}
		at, plainAt = f.Offset+len(f.Text), end
	}
	return places
}

// data returns the numbers that a text may state by itself.
func (t *Text) data() *Set {
	var data Set
	for _, d := range t.source.Data {
		data.Add("", d)
	}
	for i := range t.source.Tables {
		rows := &t.source.Tables[i].Rows
		if !rows.Truncated {
			data.Add("", int64(len(rows.Rows)))
		}
		for c, column := range rows.Columns {
			data.Add(column.Name, nil)
			for _, row := range rows.Rows {
				data.Add(column.Name, row[c])
			}
		}
	}
	return &data
}
