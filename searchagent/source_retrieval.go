package searchagent

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

const maxRetrieval = 1000 // bytes

// retrieval says how to find the documents of a body again.
func retrieval(index string, body json.RawMessage) string {
	return prompt.Clip("index "+index+" with "+string(strictjson.Compact(body)), maxRetrieval)
}

// plain quotes a text that could be misread in a sentence.
func plain(text string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" _-.:/@$*", r)
	}
	if text == "" || strings.ContainsFunc(text, odd) {
		return prompt.Quote(text)
	}
	return text
}
