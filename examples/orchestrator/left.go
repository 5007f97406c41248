package main

import "github.com/qedkit/qed/llm"

// left returns the lines that follow after the messages of a conversation, and reports
// whether the messages are the beginning of the lines.
func left(lines []string, said []llm.Message) ([]string, bool) {
	for _, m := range said {
		if m.Role != llm.RoleUser {
			continue
		}
		if len(lines) == 0 || m.Content != lines[0] {
			return nil, false
		}
		lines = lines[1:]
	}
	return lines, true
}
