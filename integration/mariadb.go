package integration

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// MariaDB starts the shared MariaDB server, unless it runs already, and returns
// how its administrator connects. Each test creates its own databases.
func MariaDB(tb testing.TB) *mysql.Config {
	tb.Helper()
	program := mariaDBProgram(tb)
	mariaDBOnce.Do(func() {
		if mariaDBShared, mariaDBErr = startMariaDB(program, "--innodb-flush-log-at-trx-commit=0"); mariaDBErr == nil {
			running.add(mariaDBShared.remove)
		}
	})
	if mariaDBErr != nil {
		tb.Fatalf("mariadb: %v", mariaDBErr)
	}
	return mariaDBShared.Config()
}

var (
	mariaDBOnce   sync.Once
	mariaDBShared *MariaDBServer
	mariaDBErr    error
)

// MariaDBOwn starts a MariaDB server for one test, which may kill it and start
// it again. The arguments are added to those of the server.
func MariaDBOwn(tb testing.TB, args ...string) *MariaDBServer {
	tb.Helper()
	s, err := startMariaDB(mariaDBProgram(tb), args...)
	if err != nil {
		tb.Fatalf("mariadb: %v", err)
	}
	tb.Cleanup(s.remove)
	return s
}

// A MariaDBServer is a server with its own port and directory.
type MariaDBServer struct {
	dir, program string
	args         []string
	config       *mysql.Config
	process      *process
}

// Config returns how the administrator connects.
func (s *MariaDBServer) Config() *mysql.Config { return s.config.Clone() }

// Kill ends the server at once.
func (s *MariaDBServer) Kill() {
	s.process.cmd.Process.Kill()
	<-s.process.done
}

// Alive returns nil if the server runs, and otherwise an error with what it
// wrote. A server that has just crashed may be writing its trace: Alive waits
// until it is ready or has ended.
func (s *MariaDBServer) Alive() error { return s.process.wait(s.ping) }

// Start starts the server, on the same port and with the same data.
func (s *MariaDBServer) Start() error {
	p, err := start(filepath.Join(s.dir, "log"), s.program, s.args...)
	if err != nil {
		return err
	}
	s.process = p
	return p.wait(s.ping)
}

func (s *MariaDBServer) ping() error {
	connector, err := mysql.NewConnector(s.config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	return db.Ping()
}

func (s *MariaDBServer) remove() {
	if s.process != nil {
		s.process.stop()
	}
	os.RemoveAll(s.dir)
}

func startMariaDB(server string, args ...string) (*MariaDBServer, error) {
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	create := []string{install, "--auth-root-authentication-method=normal", "--skip-test-db"}
	// Statements have table names in any case, and a join of a test must not fill the
	// disk.
	args = append([]string{"--lower-case-table-names=1", "--tmp-disk-table-size=2G"}, args...)
	return startServer(server, []string{"--no-defaults"}, create, args...)
}

// startServer runs the command create, which makes the files of a server, and
// starts the server. Both get the common options; args are for the server alone.
func startServer(program string, common, create []string, args ...string) (*MariaDBServer, error) {
	dir, err := os.MkdirTemp("", "qed-mysql-")
	if err != nil {
		return nil, err
	}
	s := &MariaDBServer{dir: dir, program: program}
	if err := s.start(common, create, args); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *MariaDBServer) start(common, create, args []string) error {
	common = append(slices.Clone(common), "--datadir="+filepath.Join(s.dir, "data"))
	if os.Geteuid() == 0 {
		common = append(common, "--user=root") // the server refuses to run as root without it
	}
	out, err := exec.Command(create[0], slices.Concat(common, create[1:])...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w; it wrote:\n%s", filepath.Base(create[0]), err, out)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	// A server that starts deletes the temporary files that it finds.
	temporary := filepath.Join(s.dir, "tmp")
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return err
	}
	s.args = slices.Concat(common, []string{
		"--socket=" + filepath.Join(s.dir, "socket"),
		"--tmpdir=" + temporary,
		"--pid-file=" + filepath.Join(s.dir, "pid"),
		fmt.Sprintf("--port=%d", port),
		"--bind-address=127.0.0.1",
		"--innodb-buffer-pool-size=32M",
		"--skip-log-bin",
	}, args)
	s.config = mysql.NewConfig()
	s.config.User, s.config.Net, s.config.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", port)
	return s.Start()
}

// mariaDBProgram returns the path of the server. It skips the test if there is
// none.
func mariaDBProgram(tb testing.TB) string {
	tb.Helper()
	path, err := program("mariadbd")
	if err != nil {
		missing(tb, "mariadb", err, "apt-get install --no-install-recommends mariadb-server")
	}
	return path
}
