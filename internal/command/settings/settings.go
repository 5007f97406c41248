// Package settings reads the configuration of the programs from environment
// variables and from a .env file. The environment has precedence.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/joho/godotenv"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent"
)

// Settings is the configuration of a program.
type Settings struct {
	APIKey  string // OPENAI_API_KEY
	BaseURL string // OPENAI_BASE_URL

	// Model is OPENAI_MODEL, or ANTHROPIC_MODEL if Anthropic is the provider. Empty
	// means the provider's default.
	Model string

	Anthropic Server // ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL

	// LoadTimeout is how long a server may load the model; 0: the default of openai.
	LoadTimeout time.Duration // MODEL_LOAD_TIMEOUT

	price llm.Price // MODEL_PRICE_INPUT, MODEL_PRICE_OUTPUT

	Search Search

	// Database is the URL of a MySQL database; empty: none is configured.
	Database string // DB_NAME, DB_HOST, DB_PORT, DB_USER, DB_PWD

	// EncryptKey decrypts the encrypted columns; empty: none.
	EncryptKey string // DB_ENCRYPT_KEY

	Agent sqlagent.Options // OPENAI_TEMPERATURE, MODEL_TIMEOUT, MODEL_CALL_LIMITS, SQL_*, MAX_*

	// MaxRows is how many rows a statement returns; 0: the default of sqldb.
	MaxRows int // MAX_QUERY_ROWS

	// ColumnsInMessages is how many columns a message of the guard lists; 0: the
	// guard's default.
	ColumnsInMessages int // SQL_MAX_COLUMNS_IN_VALIDATION

	// EmbeddingModel makes the vectors of documents; empty: none.
	EmbeddingModel string // EMBEDDING_MODEL

	Conversations Conversations

	// ServeToken is the token of the services that may ask a server; empty: none.
	ServeToken string // QED_SERVE_TOKEN
}

// Load reads the environment and, for variables that it does not set, the file,
// which need not exist. The error for an invalid value names its variable.
func Load(file string) (*Settings, error) {
	values, err := godotenv.Read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// The parser's message quotes the file, which may hold a key.
		return nil, fmt.Errorf("settings: %s cannot be read as a file of NAME=value lines", file)
	}
	return read(func(name string) string {
		if v, ok := os.LookupEnv(name); ok {
			return v
		}
		return values[name]
	})
}

func read(get func(string) string) (*Settings, error) {
	r := reader{get: get}
	s := &Settings{
		APIKey:  get("OPENAI_API_KEY"),
		BaseURL: get("OPENAI_BASE_URL"),
		Model:   get("OPENAI_MODEL"),

		Database:   r.database(),
		EncryptKey: get("DB_ENCRYPT_KEY"),

		EmbeddingModel: get("EMBEDDING_MODEL"),
		ServeToken:     get("QED_SERVE_TOKEN"),
		Search:         r.search(),
		Conversations:  r.conversations(),
	}
	s.Anthropic = Server{APIKey: get("ANTHROPIC_API_KEY"), BaseURL: get("ANTHROPIC_BASE_URL")}
	switch {
	case s.IsAnthropic():
		s.Model = get("ANTHROPIC_MODEL")
	case s.Model == "":
		s.Model = "gpt-5.4-mini"
	}
	r.number("MODEL_PRICE_INPUT", &s.price.Input, 0, 1e6)
	r.number("MODEL_PRICE_OUTPUT", &s.price.Output, 0, 1e6)
	o := &s.Agent
	const day = 86400 // seconds
	r.duration("MODEL_TIMEOUT", &o.ModelTimeout, time.Second, 0.001, day)
	r.duration("MODEL_LOAD_TIMEOUT", &s.LoadTimeout, time.Second, 0.001, day)
	if get("OPENAI_TEMPERATURE") != "" {
		o.Temperature = new(float64)
		r.number("OPENAI_TEMPERATURE", o.Temperature, 0, 2)
	}
	r.countOrNone("SQL_SAMPLE_ROWS", &o.Limits.SampleRows)
	r.count("SQL_MAX_TABLES_IN_CONTEXT", &o.Limits.Tables)
	r.countOrNone("SQL_CORRECTION_MAX_ATTEMPTS", &o.MaxCorrections)
	r.number("SQL_CONFIDENCE_THRESHOLD", &o.MinConfidence, 0, 1)
	if o.MinConfidence == 0 && get("SQL_CONFIDENCE_THRESHOLD") != "" {
		o.MinConfidence = math.SmallestNonzeroFloat64 // because 0 in Options means the default
	}
	r.count("SQL_AGENT_MAX_ITERATIONS", &o.MaxStatements)
	r.whole("SQL_MAX_ESTIMATED_ROWS", &o.MaxEstimate, 0, "a whole number of at least 0")
	r.count("SQL_MAX_SUGGESTED_PATHS", &o.Limits.Paths)
	r.count("SQL_MAX_RELATIONSHIPS_IN_PROMPT", &o.Limits.Relationships)
	r.count("SQL_MAX_COLUMNS_IN_SCHEMA", &o.Limits.Columns)
	r.count("SQL_MAX_COLUMNS_IN_VALIDATION", &s.ColumnsInMessages)
	r.count("SQL_MAX_TABLES_IN_SELECTION_PROMPT", &o.Limits.ListedTables)
	r.count("MAX_CONTEXT_TOKENS", &o.ContextTokens)
	r.count("MAX_OUTPUT_TOKENS", &o.MaxOutputTokens)
	r.counts("MODEL_CALL_LIMITS", &o.CallTokens)
	r.count("MAX_QUERY_ROWS", &s.MaxRows)
	o.MaxHistoryMessages = s.Conversations.Messages

	validate := true // false only hides columns: nothing runs unchecked
	r.flag("SQL_PRE_VALIDATION_ENABLED", &validate)
	o.HideColumns = !validate
	r.flag("OPENAI_JSON_MODE", &o.JSONMode)
	if err := errors.Join(r.problems...); err != nil {
		return nil, err
	}
	return s, nil
}

// database returns the URL of the MySQL database that DB_NAME and others name.
func (r *reader) database() string {
	name := r.get("DB_NAME")
	if name == "" {
		return ""
	}
	port := cmp.Or(r.get("DB_PORT"), "3306")
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		r.problem("DB_PORT", port, "the number of a port")
	}
	u := url.URL{Scheme: "mysql", Host: net.JoinHostPort(cmp.Or(r.get("DB_HOST"), "127.0.0.1"), port), Path: "/" + name}
	switch user, password := r.get("DB_USER"), r.get("DB_PWD"); {
	case password != "":
		u.User = url.UserPassword(user, password)
	case user != "":
		u.User = url.User(user)
	}
	return u.String()
}

// reader reads variables and collects the errors in their values.
type reader struct {
	get      func(string) string
	problems []error
}

// count reads a whole number of at least 1. An empty variable is not set.
func (r *reader) count(name string, into *int) {
	r.whole(name, into, 1, "a whole number of at least 1")
}

// countOrNone reads a whole number of at least 0. For 0 it sets -1, because 0 in
// Options means the default.
func (r *reader) countOrNone(name string, into *int) {
	r.whole(name, into, 0, "a whole number of at least 0")
	if *into == 0 && r.get(name) != "" {
		*into = -1
	}
}

func (r *reader) whole(name string, into *int, least int, want string) {
	text := r.get(name)
	if text == "" {
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		r.problem(name, text, want)
		return
	}
	*into = n
}

// calls are the names of the requests that the agents of the commands make.
var calls = []string{"answer", "answer_from_documents", "correct", "correct_figures", "general", "generate", "read_reply",
	"rewrite_question", "route", "select_tables", "summarise"}

// counts reads whole numbers of at least 1, each after a name: "answer=300, generate=500".
func (r *reader) counts(name string, into *map[string]int) {
	text := r.get(name)
	if text == "" {
		return
	}
	*into = map[string]int{}
	for pair := range strings.SplitSeq(text, ",") {
		call, limit, _ := strings.Cut(pair, "=")
		call = strings.TrimSpace(call)
		n, err := strconv.Atoi(strings.TrimSpace(limit))
		if err != nil || n < 1 || !slices.Contains(calls, call) || (*into)[call] > 0 {
			r.problem(name, text, "names of calls with whole numbers of at least 1, such as answer=300,generate=500; the names are "+
				strings.Join(calls, ", "))
			return
		}
		(*into)[call] = n
	}
}

func (r *reader) number(name string, into *float64, low, high float64) {
	text := r.get(name)
	if text == "" {
		return
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= low && f <= high) {
		r.problem(name, text, fmt.Sprintf("a number from %v to %v", low, high))
		return
	}
	*into = f
}

// duration reads a number of units, which may have a fraction.
func (r *reader) duration(name string, into *time.Duration, unit time.Duration, low, high float64) {
	n := into.Seconds() / unit.Seconds()
	r.number(name, &n, low, high)
	*into = time.Duration(n * float64(unit))
}

func (r *reader) flag(name string, into *bool) {
	text := r.get(name)
	if text == "" {
		return
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		r.problem(name, text, "true or false")
		return
	}
	*into = v
}

func (r *reader) problem(name, text, want string) {
	r.problems = append(r.problems, fmt.Errorf("settings: %s is %q: it must be %s", name, text, want))
}
