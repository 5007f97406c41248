package recall

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/sensitive"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

const (
	maxTurnEntities = 20
	maxRows         = 100 // that are read
	minName         = 3   // characters of a name
	maxName         = 80
)

// Entities returns the values of the database that a question and its answer are
// about:
//
//   - the values that an SQL statement compares columns with, such as the site of
//     "site = 'North Dock'"
//   - the cells of the rows that the question or the text of the answer contains:
//     texts, and numbers of columns that identify something
//
// The kind is the name of the column in words. Columns that look like secrets, and
// hidden ones, are left out.
func Entities(question string, answer *qed.Answer, hidden []string) []finding.Entity {
	var found []finding.Entity
	leftOut := func(column string) bool {
		return sensitive.Secret(column) || slices.ContainsFunc(hidden, func(h string) bool { return strings.EqualFold(h, column) })
	}
	add := func(column, name string) {
		e := finding.Entity{Kind: strings.ToLower(textmatch.Spaced(column)), Name: strings.TrimSpace(name)}
		n := utf8.RuneCountInString(e.Name)
		if n == 0 || n > maxName || leftOut(column) || len(found) == maxTurnEntities || slices.Contains(found, e) {
			return
		}
		found = append(found, e)
	}
	for _, q := range answer.Queries {
		if q.Language != "sql" || q.Executed == "" {
			continue
		}
		for _, m := range comparison.FindAllStringSubmatch(q.Written, -1) {
			add(m[1], strings.Trim(strings.ReplaceAll(m[2], "''", "'"), "%"))
		}
	}
	if answer.Table == nil {
		return found
	}
	said := fold(question + "\n" + answer.Text)
	for _, row := range answer.Table.Rows[:min(len(answer.Table.Rows), maxRows)] {
		for i, cell := range row[:min(len(row), len(answer.Table.Columns))] {
			column := answer.Table.Columns[i].Name
			var name string
			switch v := cell.(type) {
			case string:
				name = v
				if utf8.RuneCountInString(name) < minName {
					continue
				}
			case int64, json.Number:
				if name = fmt.Sprint(v); !identifies(column) {
					continue
				}
			default:
				continue
			}
			if len(name) <= 4*maxName && wordset.SaysWord(said, fold(name)) {
				add(column, name)
			}
		}
	}
	return found
}

// comparison matches a column that is compared with a text: its name and the text.
var comparison = regexp.MustCompile("(?i)([a-z_][a-z0-9_$]*)[\"`\\]]?\\s*(?:=|<=|>=|<|>|i?like|in\\s*\\(|between)\\s*'((?:[^']|'')*)'")

// identifies reports whether the numbers of a column name something.
func identifies(column string) bool {
	all := strings.Fields(strings.ToLower(textmatch.Spaced(column)))
	return len(all) > 0 && slices.Contains([]string{"id", "no", "nr", "number", "code", "key"}, all[len(all)-1])
}

func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
