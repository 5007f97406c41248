package figures

import (
	"context"
	"errors"
	"fmt"
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

	// Unproved are what the text says without proof: numbers that the model typed and
	// that the source does not prove, references that stay unknown, and what is left
	// in braces. A text with any of these is not complete.
	Unproved []string
}

// A Source is what a text is about.
type Source struct {
	// Language is how the text writes values. Empty means [English].
	Language Language

	// Tables have the values to which the text may refer.
	Tables []Table

	// Data is other data whose numbers the text may repeat, such as the question.
	// Each is what [Set.Add] takes, and is compared with on its own: see the package
	// documentation. Without Tables and Data no numbers are checked.
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
// are truncated is unknown. Without tables, the text is left as it is.
//
// A reference to the cell of a text shows the text as it is. A text such as "12.50"
// can be computed with if all texts of its column are numbers in this form. Other
// texts, such as "12.5 kg", are unknown where something is computed from them. A text is a number
// or a time, and formatted, only where the type of the column says so, or where all
// texts of a column without a type are times.
type Text struct {
	source Source
	emit   func(string)
	eval   *evaluation

	pending     []byte // not yet rendered
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
	return &Text{source: s, emit: emit, eval: &evaluation{tables: s.Tables}} // most texts have no reference, and need no map
}

// Write renders a piece of the text. Only what may be part of a reference is held
// back, and everything from the first unknown reference on.
func (t *Text) Write(piece string) {
	t.pending = append(t.pending, piece...)
	if !t.held {
		t.render(false)
	}
}

// Unknown returns the references of the rest of the text that have no value. Call
// it after the last Write: a model can correct them, see [Text.Correct].
func (t *Text) Unknown() []Unknown {
	var all []Unknown
	seen := map[string]bool{}
	rest := string(t.pending)
	for {
		_, body, after, ok := cutReference(rest, true)
		if !ok {
			return all
		}
		rest = after
		ref, err := t.read(body)
		if err == nil {
			_, _, err = t.value(ref)
		}
		if err == nil || seen[ref.text] {
			continue
		}
		seen[ref.text] = true
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

// CutOff drops the beginning of a reference at the end of the text. Call it before Close
// if the text is not complete.
func (t *Text) CutOff() {
	if !t.held {
		t.pending = nil
	}
}

// Close renders the rest of the text and returns all of it. If ctx ends, numbers
// that were not compared until then are not among the Unproved.
func (t *Text) Close(ctx context.Context) Result {
	t.held = false
	t.render(true)
	text := t.out.String()
	unproved := append(t.typed(ctx, text), t.unknown...)
	if t.saysUnknown(text) {
		unproved = append(unproved, t.source.Language.terms().unknown)
	}
	return Result{Text: text, Figures: t.figures, Unproved: append(unproved, t.braces(text)...)}
}

// saysUnknown reports whether the author of the text wrote what stands for an unknown
// reference.
func (t *Text) saysUnknown(text string) bool {
	word := t.source.Language.terms().unknown
	filled := len(t.unknown)
	for _, f := range t.figures {
		filled += strings.Count(f.Text, word)
	}
	return strings.Count(text, word) > filled
}

// render renders as much of the pending text as possible; at its end, all of it.
func (t *Text) render(end bool) {
	rest := string(t.pending)
	if len(t.source.Tables) == 0 { // nothing can be referred to
		t.write(rest)
		t.pending = t.pending[:0]
		return
	}
	for !t.held {
		before, body, after, ok := cutReference(rest, end)
		t.write(before)
		rest = rest[len(before):]
		if !ok {
			break
		}
		if t.held = !t.replace(body, end); !t.held {
			rest = after
		}
	}
	t.pending = append(t.pending[:0], rest...)
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

func (t *Text) value(ref reference) (value, []qed.FigureSource, error) {
	t.eval.sources = nil
	v, err := t.eval.value(ref.expr)
	if err == nil && ref.percent && v.kind != number {
		err = wrong("it is no number, so it is not shown in percent")
	}
	if err == nil && ref.power > 0 && (v.kind != number || v.ratio) {
		err = wrong("it is no amount, so it has no thousands")
	}
	return v, t.eval.sources, err
}

// replace writes the value of a reference, and reports whether it did. At the end
// it also writes that a reference is unknown.
func (t *Text) replace(body string, end bool) bool {
	ref, err := t.read(body)
	var v value
	var sources []qed.FigureSource
	if err == nil {
		v, sources, err = t.value(ref)
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
