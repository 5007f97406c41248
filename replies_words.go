package qed

import (
	"encoding/json"
	"slices"
	"strings"
)

var (
	approveWords = []string{"approve", "approved", "i approve", "yes", "y", "yep", "yeah", "ok", "okay", "sure", "accept", "accepted",
		"confirm", "confirmed", "agreed", "go ahead", "proceed", "do it", "looks good", "lgtm"}
	rejectWords = []string{"reject", "rejected", "i reject", "no", "n", "nope", "deny", "denied", "decline", "declined", "disapprove",
		"don't", "do not", "don't do it", "do not do it"}
	editWords   = []string{"edit", "change"}
	politeWords = []string{"please", "thanks", "thank you"}
	abortWords  = []string{"never mind", "nevermind", "cancel", "abort", "forget it", "forget about it", "stop", "quit", "drop it", "leave it"}
)

// plainApproval returns the reply to an approval that a text is beyond doubt. An approval with a condition is none: "yes, but only for
// crew 2" must not be read as "yes".
func plainApproval(text string) (json.RawMessage, bool) {
	if d, mark, rest := decision(text); d == DecisionEdit && mark == ':' {
		return json.RawMessage(`{"decision":` + string(jsonString(string(DecisionEdit))) + `,"value":` + rest + `}`), json.Valid([]byte(rest))
	}
	if strings.Contains(text, "?") {
		return nil, false
	}
	for d, words := range map[Decision][]string{DecisionApprove: approveWords, DecisionReject: rejectWords} {
		if !strings.ContainsAny(text, "[]{}") && says(text, words) {
			return approvalJSON(d, ""), true
		}
	}
	d, mark, rest := decision(text)
	if d != DecisionReject || mark != ':' || rest == "" {
		return nil, false // what follows an approval may be a condition
	}
	return approvalJSON(d, rest), true
}

// says reports whether a text consists of words, and of politeness.
func says(text string, words []string) bool {
	said := false
	for part := range strings.FieldsFuncSeq(text, isMark) {
		part = wording(part)
		switch {
		case slices.Contains(words, part):
			said = true
		case part != "" && !slices.Contains(politeWords, part):
			return false
		}
	}
	return said
}

func isMark(r rune) bool { return strings.ContainsRune(":,;.!\n", r) }

// wording returns a part of a text as the lists of words have it.
func wording(part string) string {
	part = strings.ReplaceAll(normal(part), "’", "'")
	for _, polite := range politeWords {
		if rest, ok := strings.CutSuffix(part, " "+polite); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(part, polite+" "); ok {
			return rest
		}
	}
	return part
}

// decision returns the decision with which a text begins, the mark after it and what follows. It is empty where the text
// begins otherwise.
func decision(text string) (d Decision, mark byte, rest string) {
	head := text
	if i := strings.IndexFunc(text, isMark); i >= 0 {
		head, mark, rest = text[:i], text[i], strings.TrimSpace(text[i+1:])
	}
	head = wording(head)
	switch {
	case slices.Contains(approveWords, head):
		return DecisionApprove, mark, rest
	case slices.Contains(rejectWords, head):
		return DecisionReject, mark, rest
	case slices.Contains(editWords, head):
		return DecisionEdit, mark, rest
	}
	return "", 0, ""
}

// approvalJSON is the JSON of an [Approval] without a value.
func approvalJSON(d Decision, reason string) json.RawMessage {
	text, _ := json.Marshal(struct {
		Decision Decision `json:"decision"`
		Reason   string   `json:"reason,omitempty"`
	}{d, reason}) // strings have a JSON form
	return text
}
