package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed"
)

// typed returns the numbers of the text that the model typed and that the source
// does not prove. Tables are compared as a whole, and each of the other data on its
// own until every number is found.
func (t *Text) typed(ctx context.Context, text string) []string {
	if len(t.source.Tables)+len(t.source.Data) == 0 {
		return nil
	}
	places := t.places(text)
	var typed []Number
	var wrong []string
	for _, n := range Find(text, t.source.Language.style()) {
		fraction := false
		for len(places) > 0 && places[0].end < n.end {
			fraction = places[0].fraction && places[0].begin == n.begin
			places = places[1:]
		}
		if fraction && n.Percent {
			wrong = append(wrong, n.Text)
			continue
		}
		if n.meaning == amount && (len(places) == 0 || !places[0].has(&n)) {
			typed = append(typed, n)
		}
	}
	for i := -1; i < len(t.source.Data) && len(typed) > 0; i++ {
		var data Set
		small := smallTables
		if i < 0 {
			t.addTables(ctx, &data)
		} else {
			data.Add("", t.source.Data[i])
			small = smallData
		}
		if ctx.Err() != nil {
			return wrong
		}
		typed = slices.DeleteFunc(typed, func(n Number) bool { return data.allows(&n, small) })
	}
	for _, n := range typed {
		if n.Negative {
			n.Text = "-" + n.Text
		}
		wrong = append(wrong, n.Text)
	}
	return wrong
}

// addTables adds the numbers of all tables to a set, and the figures of the text: it may
// repeat what code computed.
func (t *Text) addTables(ctx context.Context, data *Set) {
	for i, f := range t.figures {
		for _, n := range Find(f.Text, t.source.Language.style()) {
			if t.powers[i] == 0 { // else the unit is in the text
				data.addNumber(&n, 0)
			}
		}
	}
	for i := range t.source.Tables {
		rows := &t.source.Tables[i].Rows
		if !rows.Truncated {
			data.Add("", int64(len(rows.Rows)))
		}
		for c, column := range rows.Columns {
			data.Add(column.Name, nil)
			for _, row := range rows.Rows {
				if ctx.Err() != nil {
					return
				}
				data.Add(column.Name, row[c])
			}
		}
	}
}

// A place is where a figure stands in the plain form of a text.
type place struct {
	begin, end, power int
	signed            bool // a minus sign before it is its own, or begins an item of a list
	fraction          bool // it is between -1 and 1, and nothing says that it is in percent
}

// has reports whether n is the figure or a part of it. With a power, the text has
// to name it: {sum cost:1M} million.
func (p place) has(n *Number) bool {
	if n.Negative && !p.signed && n.begin == p.begin {
		return false // a minus sign before the reference
	}
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
		signed := strings.HasPrefix(plain(f.Text), "-") || beginsItem(text[:f.Offset])
		places[i] = place{plainAt, end, t.powers[i], signed, isFraction(f)}
		at, plainAt = f.Offset+len(f.Text), end
	}
	return places
}

// isFraction reports whether a figure is between -1 and 1, and neither it nor the name of
// its column says that it is in percent. With a percent sign behind it, 0.24 may be 24 %.
func isFraction(f qed.Figure) bool {
	for _, s := range f.Sources {
		name := strings.ToLower(s.Column)
		if strings.Contains(name, "%") || strings.Contains(name, "perc") || strings.Contains(name, "pct") || strings.Contains(name, "proz") {
			return false
		}
	}
	digits := strings.TrimLeft(plain(f.Text), "-")
	return len(digits) > 1 && digits[0] == '0' && !strings.Contains(digits, "%") && strings.ContainsAny(digits, "123456789")
}

// beginsItem reports whether a text ends with a minus sign alone on its line, as in a
// list that is written without spaces.
func beginsItem(before string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.TrimSpace(line) == "-"
}

// braced matches code, and what is in braces or has one.
var braced = regexp.MustCompile("(?s)```.*?```|`+[^`\n]*`+|" + `\{[^{}\n]{0,200}\}|\{[^\s{}]*|[^\s{}]*\}`)

const (
	maxBraces        = 40 // bytes of what is left in braces that are listed
	maxCheckedBraces = 20
)

// braces returns what the text has in braces outside of figures, code and JSON, and
// what the data does not have: {total} is a reference that the model got wrong.
func (t *Text) braces(text string) (left []string) {
	figures := t.figures
	for at, checked := 0, 0; checked < maxCheckedBraces; {
		m := braced.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		begin, end := at+m[0], at+m[1]
		at = end
		for len(figures) > 0 && figures[0].Offset+len(figures[0].Text) <= begin {
			figures = figures[1:]
		}
		if len(figures) > 0 && figures[0].Offset <= begin {
			at = figures[0].Offset + len(figures[0].Text)
			continue
		}
		found := text[begin:end]
		if found[0] == '`' || strings.Trim(found, "{}") == "" && found != "{" { // a brace alone refers to nothing
			continue
		}
		checked++
		if found[0] == '{' {
			d := json.NewDecoder(strings.NewReader(text[begin:]))
			var raw json.RawMessage
			if d.Decode(&raw) == nil {
				at = begin + int(d.InputOffset())
				continue
			}
		}
		found = strings.ToValidUTF8(found[:min(len(found), maxBraces)], "")
		if found != "{" && !slices.Contains(left, found) && !t.said(found) {
			left = append(left, found)
		}
	}
	return left
}

// said reports whether the data has these braces.
func (t *Text) said(braces string) bool {
	return slices.ContainsFunc(t.source.Data, func(d any) bool {
		if text, ok := d.(string); ok {
			return strings.Contains(text, braces)
		}
		raw, err := json.Marshal(d)
		return err == nil && bytes.Contains(raw, []byte(braces))
	})
}
