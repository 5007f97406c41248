package dialect

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/qedkit/qed/internal/sqlast"
)

// serialize returns DuckDB's tree of a text as JSON.
func serialize(text string) (string, error) {
	pool, err := serializers()
	if err != nil {
		return "", notOpen(err)
	}
	s, err := pool.get()
	if err != nil {
		return "", notOpen(err)
	}
	defer pool.put(s)
	out, err := s.serialize(text)
	if err != nil {
		return "", &sqlast.Error{Code: sqlast.Syntax, Pos: -1,
			Message: "DuckDB cannot parse the statement: " + sqlast.Clip(err.Error())}
	}
	return out, nil
}

func notOpen(err error) error {
	return fmt.Errorf("duckdb: the database that parses statements cannot be opened: %w", err)
}

// serializers returns the connections to the database in memory that parses statements.
// They use DuckDB's C interface, because database/sql and its driver take as long as
// DuckDB itself for a short statement: see BenchmarkRewriteDuckDB.
var serializers = sync.OnceValues(func() (*serializerPool, error) {
	var config mapping.Config
	if mapping.CreateConfig(&config) == mapping.StateError {
		return nil, errors.New("DuckDB has no settings")
	}
	defer mapping.DestroyConfig(&config)
	for _, setting := range [][2]string{
		{"threads", "1"}, {"memory_limit", "512MB"}, {"temp_directory", ""}, {"enable_external_access", "false"},
		{"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"}, {"lock_configuration", "true"},
	} {
		if mapping.SetConfig(config, setting[0], setting[1]) == mapping.StateError {
			return nil, errors.New("DuckDB has no setting " + setting[0])
		}
	}
	p := &serializerPool{idle: make(chan *serializer, runtime.GOMAXPROCS(0))}
	var message string
	if mapping.OpenExt("", &p.database, config, &message) == mapping.StateError {
		return nil, errors.New(message)
	}
	for range cap(p.idle) {
		p.idle <- nil
	}
	return p, nil
})

// A serializerPool has one serializer for each processor. A call of C occupies a
// thread, and a program must not have thousands of them.
type serializerPool struct {
	database mapping.Database
	idle     chan *serializer // nil: not opened yet
}

// A serializer is a connection with its prepared statement. One goroutine may use it
// at a time.
type serializer struct {
	conn mapping.Connection
	stmt mapping.PreparedStatement
}

// get waits for an idle serializer. Pass it to put afterwards.
func (p *serializerPool) get() (*serializer, error) {
	if s := <-p.idle; s != nil {
		return s, nil
	}
	s, err := p.open()
	if err != nil {
		p.idle <- nil
	}
	return s, err
}

func (p *serializerPool) put(s *serializer) { p.idle <- s }

func (p *serializerPool) open() (*serializer, error) {
	s := &serializer{}
	if mapping.Connect(p.database, &s.conn) == mapping.StateError {
		return nil, errors.New("DuckDB refuses a connection")
	}
	const query = "SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_default := true)"
	if mapping.Prepare(s.conn, query, &s.stmt) == mapping.StateError {
		err := errors.New(mapping.PrepareError(s.stmt))
		mapping.DestroyPrepare(&s.stmt)
		mapping.Disconnect(&s.conn)
		return nil, err
	}
	return s, nil
}

func (s *serializer) serialize(text string) (string, error) {
	if mapping.BindVarcharLength(s.stmt, 1, text, mapping.IdxT(len(text))) == mapping.StateError {
		return "", errors.New(mapping.PrepareError(s.stmt))
	}
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.ExecutePrepared(s.stmt, &result) == mapping.StateError {
		return "", errors.New(mapping.ResultError(&result))
	}
	chunk := mapping.FetchChunk(result)
	if chunk.Ptr == nil {
		return "", errors.New("DuckDB returns no tree")
	}
	defer mapping.DestroyDataChunk(&chunk)
	return firstString(mapping.VectorGetData(mapping.DataChunkGetVector(chunk, 0))), nil
}

// firstString copies the first value of a column of strings. A tree is too long for the
// form in which DuckDB keeps short ones, of up to 12 bytes. StringTData of the driver
// would copy it twice.
func firstString(data unsafe.Pointer) string {
	value := (*struct {
		length uint32
		prefix [4]byte
		bytes  *byte
	})(data) // duckdb_string_t of duckdb.h
	if value.length <= 12 {
		return mapping.StringTData((*mapping.StringT)(data))
	}
	return strings.Clone(unsafe.String(value.bytes, value.length))
}
