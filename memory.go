package qed

import (
	"context"
	"slices"
	"strconv"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/llm"
)

// Memory says what of a conversation a model is told. Nil and the zero value mean its last 20 messages, as far as they fit into a
// budget of 16,000 tokens.
//
// What is stored stays whole: a Memory chooses, cuts and summarises for the model only. It sees one thread at a time. It must not be
// changed while it is used; then it is safe for concurrent use.
//
// # The simple strategy
//
// Without a Summarizer, the oldest messages are left out first, by whole exchanges: a user's message and all that answers
// it. So what is told begins with a user's message, where there is one. Of the first exchange that does not fit any more, the
// longest messages are cut, with a mark, if a quarter of the budget is left for it; otherwise it is left out. For the
// newest exchange all of the budget is left, so it is always told.
//
// # The tiered strategy
//
// With a Summarizer, the last messages are told in full as above; the Middle before them as summaries, one of each Batch; and all that
// is older as one running summary. Summaries are recorded in the thread, so they survive a restart, and no message is
// summarised twice: a Batch is summarised once it is complete, and later its summary goes into the running one. So
// a conversation of n messages costs at most 2*n/Batch calls, which is 100 for 500 messages.
//
// One turn makes at most four calls. Where more are due, because a long conversation gets its first summaries, the next turns go
// on, with larger pieces, and what is not summarised yet is left out. A call that fails does not fail the turn: the newest messages
// and the summaries that there are must do, [MemoryIncomplete] tells, and the next turn tries again.
//
// A model gets the summaries as quoted data, in a user's message that says what they are.
type Memory struct {
	// Messages is how many of the last messages are told in full. 0 means 20, and with a Summarizer 10; then those that wait for
	// their summary are told as well, mostly fewer than a Batch. A negative number means that nothing is told.
	Messages int

	// Tokens limits all that is told, and the messages that are summarised at once. 0 or less means 16,000.
	Tokens int

	// Counter counts tokens. Nil means [llm.EstimateTokens].
	Counter llm.TokenCounter

	// Summarizer is the model that summarises. Nil means that there are no summaries. Its requests have the name "summarise"
	// ([llm.Request.Name]), and count for the budget of the turn that makes them.
	Summarizer llm.Model

	// Middle is how many messages, before those that are told in full, have a summary for each Batch. 0 means 40; a negative
	// number means none: all that is older is in the running summary.
	Middle int

	// Batch is how many messages are summarised at once. 0 or less means 10; where messages were not answered it may be a few more.
	Batch int

	// SummaryTokens limits each summary. A longer one is cut. 0 or less means 500.
	SummaryTokens int

	// Timeout limits one call of the Summarizer. 0 or less means 30 seconds.
	Timeout time.Duration

	// Prompt is what the Summarizer is sent, as a template for [SummaryData]. Nil means the package's own. Make one with [PromptFuncs].
	Prompt *template.Template
}

// A threadLog is what a [Memory] reads and writes of one thread.
type threadLog interface {
	// messages returns the last messages with a number of at least from, oldest first: at most newest, 0 means all.
	messages(ctx context.Context, from int64, newest int) ([]numbered, error)

	// summary returns the last summary and the number of the last message in it, or "" and 0.
	summary(ctx context.Context) (text string, through int64, err error)

	// summarise appends a summary.
	summarise(ctx context.Context, text string, through int64) error
}

// A numbered message is one with the number of its record.
type numbered struct {
	seq     int64
	message llm.Message
}

// recall returns what a model is told of a thread when a run begins. Its error is that of the log, or that ctx is done.
func (m *Memory) recall(ctx context.Context, log threadLog) ([]llm.Message, error) {
	return m.choose(ctx, log, true)
}

// recallAgain returns, when a run goes on, what recall returned when it began: it makes no summary, as with another one every prompt
// of the run would be another.
func (m *Memory) recallAgain(ctx context.Context, log threadLog) ([]llm.Message, error) {
	return m.choose(ctx, log, false)
}

func (m *Memory) choose(ctx context.Context, log threadLog, summarise bool) ([]llm.Message, error) {
	s := m.withDefaults()
	switch {
	case s.Messages < 0:
		return nil, nil
	case s.Summarizer != nil:
		return s.chooseTiers(ctx, log, summarise)
	}
	said, err := log.messages(ctx, 0, s.Messages)
	if err != nil {
		return nil, err
	}
	return s.fit(plain(said), s.Tokens), nil
}

// withDefaults returns m with every field set that has a default.
func (m *Memory) withDefaults() Memory {
	var s Memory
	if m != nil {
		s = *m
	}
	if s.Messages == 0 {
		s.Messages = 20
		if s.Summarizer != nil {
			s.Messages = 10
		}
	}
	if s.Tokens <= 0 {
		s.Tokens = 16_000
	}
	if s.Counter == nil {
		s.Counter = llm.TokenCounterFunc(llm.EstimateTokens)
	}
	switch {
	case s.Middle == 0:
		s.Middle = 40
	case s.Middle < 0:
		s.Middle = 0
	}
	if s.Batch <= 0 {
		s.Batch = 10
	}
	if s.SummaryTokens <= 0 {
		s.SummaryTokens = 500
	}
	if s.Timeout <= 0 {
		s.Timeout = 30 * time.Second
	}
	if s.Prompt == nil {
		s.Prompt = ownPrompt("summarise.tmpl")
	}
	return s
}

// plain returns the messages that may be told. A conversation has no instructions of the program's in it: a system's message
// there would be somebody else's.
func plain(said []numbered) []llm.Message {
	messages := make([]llm.Message, 0, len(said))
	for _, n := range said {
		switch n.message.Role {
		case llm.RoleUser, llm.RoleAssistant, llm.RoleTool:
			messages = append(messages, n.message)
		}
	}
	return messages
}

// spoken returns what of a conversation a call may be told that has no tools: what was said, as far as it fits.
func (m *Memory) Select(history []llm.Message) []llm.Message {
	said := make([]llm.Message, 0, len(history))
	for _, message := range history {
		if message.Role == llm.RoleUser || message.Role == llm.RoleAssistant && message.Content != "" {
			said = append(said, llm.Message{Role: message.Role, Content: message.Content})
		}
	}
	all := m.withDefaults()
	return all.fit(said, all.Tokens)
}

// fit returns the newest of messages that fit into a budget.
func (m *Memory) fit(messages []llm.Message, budget int) []llm.Message {
	for len(messages) > 0 && messages[0].Role == llm.RoleTool {
		messages = messages[1:] // what called the tool is not among them
	}
	var told [][]llm.Message // newest first
	room := budget
	for end := len(messages); end > 0; {
		start := lastExchange(messages[:end])
		if !begins(messages[start]) && len(told) > 0 {
			break
		}
		exchange := messages[start:end]
		end = start
		need := 0
		for i := range exchange {
			need += m.count(exchange[i])
		}
		if need <= room {
			room -= need
			told = append(told, exchange)
			continue
		}
		if room >= budget/4 {
			if exchange, ok := m.cut(exchange, room); ok {
				told = append(told, exchange)
			}
		}
		break
	}
	slices.Reverse(told)
	return slices.Concat(told...)
}

// lastExchange returns where the last exchange of messages begins: with the last user's message, or at the front where there is none.
func lastExchange(messages []llm.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if begins(messages[i]) {
			return i
		}
	}
	return 0
}

func begins(m llm.Message) bool { return m.Role == llm.RoleUser }

// count returns how many tokens a message takes.
func (m *Memory) count(message llm.Message) int {
	return m.Counter.CountTokens(&llm.Request{Messages: []llm.Message{message}})
}

// cut returns messages with the texts of the longest cut, all to the same length, so that they fit into room. It reports false
// where they do not without any text either.
func (m *Memory) cut(messages []llm.Message, room int) ([]llm.Message, bool) {
	needs := make([]int, len(messages))
	for i := range messages {
		needs[i] = m.count(messages[i])
	}
	most := level(needs, room)
	short := slices.Clone(messages)
	for i := range short {
		if needs[i] > most {
			var ok bool
			if short[i].Content, ok = m.shorten(short[i], most); !ok {
				return nil, false
			}
		}
	}
	return short, true
}

// level returns the most that each of needs can have when together they must not have more than room.
func level(needs []int, room int) int {
	sorted := slices.Sorted(slices.Values(needs))
	for i, need := range sorted {
		share := room / (len(sorted) - i)
		if need > share {
			return share
		}
		room -= need
	}
	return sorted[len(sorted)-1]
}

// bytesPerToken is more than any tokenizer makes of ordinary text. What is longer need not be tried.
const bytesPerToken = 32

// shorten returns the beginning of a message's text, with a mark, so that the message takes at most so many tokens. It reports
// false where not even the mark fits.
func (m *Memory) shorten(message llm.Message, tokens int) (string, bool) {
	text := message.Content
	marked := func(n int) string {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		return text[:n] + "\n[cut: " + strconv.Itoa(len(text)-n) + " bytes more]"
	}
	fits := func(n int) bool {
		message.Content = marked(n)
		return m.count(message) <= tokens
	}
	if len(text) == 0 || !fits(0) {
		return "", false
	}
	low, high := 0, min(len(text)-1, max(tokens, 0)*bytesPerToken) // low fits
	for low < high {
		middle := low + (high-low+1)/2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return marked(low), true
}
