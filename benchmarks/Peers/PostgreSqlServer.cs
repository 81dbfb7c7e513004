using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Peers;

/// <summary>
/// PostgreSQL started on a port and a folder of its own, with its default durability (synchronous_commit on, fsync on,
/// full_page_writes on) and room enough that it does not checkpoint all the time (shared_buffers 2 GB, max_wal_size 8 GB).
/// It runs as the user postgres when this program runs as root, which it refuses itself.
/// </summary>
internal sealed class PostgreSqlServer : IAsyncDisposable
{
    public const string Table = "docs";
    private const string User = "postgres";
    private const string Database = "postgres";
    private static readonly string[] ProgramFolders = ["/usr/lib/postgresql/15/bin"];
    private static readonly TimeSpan ReadyLimit = TimeSpan.FromSeconds(30);

    // Its standard input is a pipe from the benchmark: when that closes, whatever the reason, PostgreSQL is ended (SIGINT: fast shutdown).
    private const string Guard = """
        "$@" & server=$!
        read -r _
        kill -INT $server
        wait $server
        """;

    private readonly string _directory;
    private readonly Process _guard;

    private PostgreSqlServer(string directory, int port, Process guard)
    {
        _directory = directory;
        Port = port;
        _guard = guard;
    }

    public int Port { get; }

    /// <summary>The parent of all its processes, as the first line of its own file says.</summary>
    public int ProcessId => int.Parse(File.ReadLines(Path.Combine(_directory, "postmaster.pid")).First(), CultureInfo.InvariantCulture);

    /// <exception cref="ContenderUnavailableException">PostgreSQL 15 is not installed, or has no folder it may write to.</exception>
    public static async Task<PostgreSqlServer> StartAsync(string workDirectory, CancellationToken cancel)
    {
        string initdb = Find("initdb"),
            postgres = Find("postgres");
        string directory = MakeDirectory(workDirectory);
        await RunAsUserAsync(initdb, ["-D", directory, "-U", User, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"], cancel);
        int port = FreePort();
        Process guard = Process.Start(
            new ProcessStartInfo(
                "bash",
                [
                    "-c",
                    Guard,
                    "guard",
                    .. AsUser(
                        postgres,
                        [
                            "-D",
                            directory,
                            "-p",
                            Text(port),
                            "-k",
                            directory,
                            "-c",
                            "listen_addresses=127.0.0.1",
                            "-c",
                            "max_connections=200",
                            "-c",
                            "shared_buffers=2GB",
                            "-c",
                            "max_wal_size=8GB",
                        ]
                    ),
                ]
            )
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                WorkingDirectory = "/",
            }
        )!;
        guard.OutputDataReceived += (_, _) => { };
        guard.ErrorDataReceived += (_, _) => { };
        guard.BeginOutputReadLine();
        guard.BeginErrorReadLine();
        var server = new PostgreSqlServer(directory, port, guard);
        try
        {
            await server.WaitUntilReadyAsync(cancel);
            await server.QueryAsync($"CREATE TABLE {Table} (id text PRIMARY KEY, body jsonb NOT NULL)", cancel);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>Runs SQL through psql and gives its output.</summary>
    public Task<string> QueryAsync(string sql, CancellationToken cancel, Func<Stream, Task>? input = null) =>
        Programs.RunAsync(
            Find("psql"),
            [.. ConnectionArguments, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", Database, "-c", sql],
            cancel,
            input
        );

    /// <summary>Inserts 1 KB documents with pgbench, prepared statements over TCP, each under an id of its own.</summary>
    /// <returns>Transactions a second.</returns>
    public Task<double> MeasureInsertsAsync(
        string body,
        int clients,
        TimeSpan duration,
        int run,
        string directory,
        CancellationToken cancel
    ) =>
        MeasureAsync(
            $"""
            \set n :n + 1
            INSERT INTO {Table} (id, body) VALUES ('items/' || :run::text || '-' || :client_id::text || '-' || :n::text, :body::jsonb);
            """,
            clients,
            duration,
            directory,
            ["n=0", "run=" + Text(run), "body=" + body],
            cancel
        );

    /// <summary>Runs a script of pgbench's by several clients, prepared statements over TCP.</summary>
    /// <returns>Transactions a second.</returns>
    public async Task<double> MeasureAsync(
        string script,
        int clients,
        TimeSpan duration,
        string directory,
        IEnumerable<string> variables,
        CancellationToken cancel
    )
    {
        string file = Path.Combine(directory, "pgbench.sql");
        await File.WriteAllTextAsync(file, script, cancel);
        int seconds = Math.Max(1, (int)Math.Round(duration.TotalSeconds));
        string output = await Programs.RunAsync(
            Find("pgbench"),
            [
                .. ConnectionArguments,
                "-n",
                "-M",
                "prepared",
                "-c",
                Text(clients),
                "-j",
                Text(Math.Min(2, clients)),
                "-T",
                Text(seconds),
                .. variables.SelectMany(variable => new[] { "-D", variable }),
                "-f",
                file,
                Database,
            ],
            cancel
        );
        const string Key = "tps = ";
        string line = output.Split('\n').First(l => l.StartsWith(Key, StringComparison.Ordinal));
        return double.Parse(line[Key.Length..].Split(' ')[0], CultureInfo.InvariantCulture);
    }

    /// <summary>Ends background writing of the run before: a checkpoint.</summary>
    public Task CheckpointAsync(CancellationToken cancel) => QueryAsync("CHECKPOINT", cancel);

    public async ValueTask DisposeAsync()
    {
        _guard.StandardInput.Close();
        await _guard.WaitForExitAsync();
        _guard.Dispose();
        Workspace.Remove(_directory);
    }

    private string[] ConnectionArguments => ["-h", "127.0.0.1", "-p", Text(Port), "-U", User];

    private async Task WaitUntilReadyAsync(CancellationToken cancel)
    {
        string isReady = Find("pg_isready");
        var clock = Stopwatch.StartNew();
        while (true)
        {
            try
            {
                await Programs.RunAsync(isReady, ConnectionArguments, cancel);
                return;
            }
            catch (IOException notReady) when (clock.Elapsed < ReadyLimit && !_guard.HasExited)
            {
                _ = notReady;
                await Task.Delay(50, cancel);
            }
        }
    }

    private static string Find(string program) =>
        Programs.Find(program, ProgramFolders)
        ?? throw new ContenderUnavailableException($"{program} of PostgreSQL 15 is missing (apt-get install postgresql-15)");

    private static Task<string> RunAsUserAsync(string program, string[] arguments, CancellationToken cancel)
    {
        string[] all = AsUser(program, arguments);
        return Programs.RunAsync(all[0], all[1..], cancel);
    }

    private static bool IsRoot => Libc.EffectiveUser() == 0;

    // setpriv becomes the program instead of staying as its parent, so that signals reach it.
    private static string[] AsUser(string program, string[] arguments) =>
        IsRoot
            ? ["/usr/bin/setpriv", "--reuid=" + User, "--regid=" + User, "--init-groups", "--", program, .. arguments]
            : [program, .. arguments];

    // The user postgres may have no way into the checkout (a home folder that only its owner may enter); then a folder in
    // /var/tmp serves, provided that it is on the same file system, as the comparison needs.
    private static string MakeDirectory(string workDirectory)
    {
        string name = "postgres-" + Text(Environment.ProcessId) + "-" + Path.GetRandomFileName();
        string inside = Path.Combine(workDirectory, name);
        string directory = !IsRoot || CanUserEnter(workDirectory) ? inside : Path.Combine("/var/tmp", "jackdaw-bench-" + name);
        if (directory != inside && Stat("%d", "/var/tmp") != Stat("%d", workDirectory))
            throw new ContenderUnavailableException(
                $"the user {User} cannot enter {workDirectory}, and /var/tmp is on another file system (choose with --dir)"
            );
        Directory.CreateDirectory(directory);
        if (IsRoot)
            Run("chown", [User, directory]);
        return directory;
    }

    private static bool CanUserEnter(string directory)
    {
        string[] test = AsUser("/usr/bin/test", ["-x", directory]);
        using Process process = Process.Start(test[0], test[1..]);
        process.WaitForExit();
        return process.ExitCode == 0;
    }

    private static string Stat(string format, string path) => Run("stat", ["-c", format, path]);

    private static string Run(string program, string[] arguments) =>
        Programs.RunAsync(program, arguments, CancellationToken.None).GetAwaiter().GetResult().Trim();

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
