package searchagent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/refusal"
)

// fixed returns a body that passed with the validator's fixes in it, and without the
// filter that it adds. If the fixes cannot be located with certainty, the body is
// returned unchanged, and is fixed in each run.
func fixed(v *esquery.Validator, index string, body json.RawMessage) (json.RawMessage, error) {
	var plain bytes.Buffer
	if err := json.Compact(&plain, body); err != nil {
		return nil, err // not reached: the body was parsed before
	}
	report := v.Check(index, body)
	if report.Verdict != esquery.Fixed {
		return plain.Bytes(), nil
	}
	corrected := splice(plain.Bytes(), report.Problems)
	if again := v.Check(index, corrected); again.Verdict == esquery.OK && bytes.Equal(again.Body(), report.Body()) {
		return corrected, nil
	}
	return plain.Bytes(), nil
}

// splice replaces the values and keys that have a fix.
func splice(body []byte, problems []refusal.Problem) []byte {
	locations := map[string]location{}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if locate(d, body, "", span{}, locations) != nil {
		return body
	}
	type edit struct {
		at span
		to []byte
	}
	var edits []edit
	for _, p := range problems {
		at, ok := locations[p.Path]
		if !ok {
			return body
		}
		key, value := textAt(body, at.key), textAt(body, at.value)
		switch {
		case p.Code != esquery.ErrUnknownField: // the fix is JSON
			edits = append(edits, edit{at.value, []byte(p.Fix)})
		case key != p.Fix && folded(key) == folded(p.Fix):
			edits = append(edits, edit{at.key, quoted(p.Fix)})
		default:
			to := p.Fix
			if _, weight, weighs := strings.Cut(value, "^"); weighs { // as in "name^2"
				to += "^" + weight
			}
			edits = append(edits, edit{at.value, quoted(to)})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.at.from - b.at.from })
	var out []byte
	from := 0
	for _, e := range edits {
		if e.at.from < from {
			return body
		}
		out = append(append(out, body[from:e.at.from]...), e.to...)
		from = e.at.to
	}
	return append(out, body[from:]...)
}

// location is where a value is in a text, and its key if it has one.
type location struct{ key, value span }

type span struct{ from, to int }

// locate finds the locations of all values in compact JSON, by their JSON Pointers.
func locate(d *json.Decoder, body []byte, pointer string, key span, locations map[string]location) error {
	from := start(d, body)
	token, err := d.Token()
	if err != nil {
		return err
	}
	if opens, ok := token.(json.Delim); ok {
		for i := 0; d.More(); i++ {
			step, at := strconv.Itoa(i), span{}
			if opens == '{' {
				at.from = start(d, body)
				name, err := d.Token()
				if err != nil {
					return err
				}
				step, _ = name.(string)
				at.to = int(d.InputOffset())
			}
			step = strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
			if err := locate(d, body, pointer+"/"+step, at, locations); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	locations[pointer] = location{key, span{from, int(d.InputOffset())}}
	return nil
}

// start returns the offset of the next token.
func start(d *json.Decoder, body []byte) int {
	at := int(d.InputOffset())
	for at < len(body) && (body[at] == ',' || body[at] == ':') {
		at++
	}
	return at
}

// textAt returns the string at a location, or "" if the value is not a string.
func textAt(body []byte, at span) string {
	var text string
	if json.Unmarshal(body[at.from:at.to], &text) != nil {
		return ""
	}
	return text
}

// folded returns a name without letter case, _ and -.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// quoted returns a string as JSON for an engine.
func quoted(s string) []byte {
	text, err := marshal(s)
	if err != nil {
		return []byte(`""`) // not reached: every string can be encoded
	}
	return text
}
