package question

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/stockphrases"
)

var (
	approveWords = []string{
		"approve", "approved", "i approve", "yes", "y", "yep", "yeah", "ok", "okay", "sure", "accept", "accepted",
		"confirm", "confirmed", "agreed", "go ahead", "proceed", "do it", "looks good", "lgtm",
		"ja", "genehmigen", "genehmigt", "einverstanden", "in ordnung", "zustimmen", "mach das",
	}
	rejectWords = []string{
		"reject", "rejected", "i reject", "no", "n", "nope", "deny", "denied", "decline", "declined", "disapprove",
		"don't", "do not", "don't do it", "do not do it",
		"nein", "ablehnen", "abgelehnt", "nicht genehmigt",
	}
	editWords = []string{"edit", "change", "ändern"}
)

// certainApproval returns the reply to an approval that a text is for certain.
// An approval with a condition is not one: "yes, but only for crew 2" must not
// be read as "yes".
func certainApproval(text string) (json.RawMessage, bool) {
	if d, mark, rest := decision(text); d == Edit && mark == ':' {
		return json.RawMessage(`{"decision":"edit","value":` + rest + `}`), json.Valid([]byte(rest))
	}
	if strings.Contains(text, "?") || strings.HasPrefix(strings.TrimSpace(text), "!") {
		return nil, false // "!yes" is a no to some
	}
	for d, words := range map[Decision][]string{Approve: approveWords, Reject: rejectWords} {
		if !strings.ContainsAny(text, "[]{}") && stockphrases.Says(text, words) {
			return approvalJSON(d, ""), true
		}
	}
	d, mark, rest := decision(text)
	if d != Reject || mark != ':' || rest == "" {
		return nil, false // the text after an approval may be a condition
	}
	return approvalJSON(d, rest), true
}

// condition finds a condition that no punctuation mark precedes, as in "yes but not to Bob".
var condition = regexp.MustCompile(`^(.+?) (?:but|if|only|except|unless|without|not|when|once|provided|` +
	`aber|wenn|nur|außer|falls|ohne|nicht|sofern|sobald) `)

// decision returns the decision with which a text begins, the punctuation mark
// after it, and the rest. The decision is empty if the text begins with none.
func decision(text string) (d Decision, mark byte, rest string) {
	text = strings.TrimLeft(text, "! ")
	head := text
	if i := strings.IndexFunc(text, stockphrases.IsMark); i >= 0 {
		head, mark, rest = text[:i], text[i], strings.TrimSpace(text[i+1:])
	}
	head = stockphrases.Core(head)
	if m := condition.FindStringSubmatch(head); m != nil && slices.Contains(approveWords, m[1]) {
		head = m[1]
	}
	switch {
	case slices.Contains(approveWords, head):
		return Approve, mark, rest
	case slices.Contains(rejectWords, head):
		return Reject, mark, rest
	case slices.Contains(editWords, head):
		return Edit, mark, rest
	}
	return "", 0, ""
}

// approvalJSON returns the JSON of an [Approval] without a value.
func approvalJSON(d Decision, reason string) json.RawMessage {
	text, _ := json.Marshal(struct {
		Decision Decision `json:"decision"`
		Reason   string   `json:"reason,omitempty"`
	}{d, reason}) // strings have a JSON form
	return text
}
