package provider

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/llm"
)

func isOffered(name string, tools []llm.Tool) bool {
	return slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Name == name })
}

// offeredName returns the name of the tool that a model calls. Some servers leave
// marks of the model's own format in it, as in "search<|channel|>commentary" and
// "functions.search".
func offeredName(name string, tools []llm.Tool) string {
	if isOffered(name, tools) {
		return name
	}
	bare, _, _ := strings.Cut(name, "<|")
	if bare = strings.TrimPrefix(strings.TrimSpace(bare), "functions."); isOffered(bare, tools) {
		return bare
	}
	return name
}

// acceptedName returns the name of a call in a conversation as servers accept it:
// they refuse a request with other characters, although their model wrote them.
func acceptedName(name string, tools []llm.Tool) string {
	const most = 64
	if isOffered(name, tools) {
		return name
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), most)]
}
