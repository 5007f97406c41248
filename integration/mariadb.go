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

// MariaDB starts a MariaDB server, or finds the one that runs, and returns how
// its administrator connects. A test makes the databases that it needs.
func MariaDB(tb testing.TB) *mysql.Config {
	tb.Helper()
	server, err := program("mariadbd")
	if err != nil {
		missing(tb, "mariadb", err, "apt-get install --no-install-recommends mariadb-server")
	}
	config, err := mariaDB(server)
	if err != nil {
		tb.Fatalf("mariadb: %v", err)
	}
	return config.Clone()
}

var (
	mariaDBOnce   sync.Once
	mariaDBConfig *mysql.Config
	mariaDBErr    error
)

func mariaDB(server string) (*mysql.Config, error) {
	mariaDBOnce.Do(func() { mariaDBConfig, mariaDBErr = startMariaDB(server) })
	return mariaDBConfig, mariaDBErr
}

func startMariaDB(server string) (*mysql.Config, error) {
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "qed-mariadb-")
	if err != nil {
		return nil, err
	}
	running.add(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	common := []string{"--no-defaults", "--datadir=" + data}
	if os.Geteuid() == 0 {
		common = append(common, "--user=root") // the server refuses to be root unless told
	}
	out, err := exec.Command(install, slices.Concat(common, []string{"--auth-root-authentication-method=normal", "--skip-test-db"})...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w; it wrote:\n%s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p, err := start(filepath.Join(dir, "log"), server, slices.Concat(common, []string{
		"--socket=" + filepath.Join(dir, "socket"),
		fmt.Sprintf("--port=%d", port),
		"--bind-address=127.0.0.1",
		"--innodb-buffer-pool-size=32M",
		"--innodb-flush-log-at-trx-commit=0",
		"--skip-log-bin",
		"--lower-case-table-names=1", // people write the names of tables in any case
	})...)
	if err != nil {
		return nil, err
	}
	running.add(p.stop)

	config := mysql.NewConfig()
	config.User, config.Net, config.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", port)
	return config, p.wait(func() error { return ping(config) })
}

func ping(config *mysql.Config) error {
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	return db.Ping()
}
