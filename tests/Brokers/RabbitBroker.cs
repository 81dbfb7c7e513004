using System.Diagnostics;
using System.Net.Sockets;

namespace Jackdaw.Brokers;

/// <summary>
/// RabbitMQ, from Debian, with an Erlang port mapper of its own, so that it is seen by nobody and sees nobody. Ready in about six
/// seconds. User and password are
/// <c>guest</c>.
/// </summary>
public sealed class RabbitBroker : Broker
{
    internal const string Program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string ControlProgram = "/usr/lib/rabbitmq/bin/rabbitmqctl";

    private readonly int _distributionPort = LoopbackPort.Find();
    private readonly int _mapperPort = LoopbackPort.Find();
    private readonly TestAuthority? _authority;
    private BrokerProcess? _mapper;

    private RabbitBroker(TestAuthority? authority)
        : base(BrokerKind.RabbitMq)
    {
        _authority = authority;
        TlsPort = authority is null ? null : LoopbackPort.Find();
    }

    /// <summary>Of AMQP 0-9-1.</summary>
    public int Port { get; } = LoopbackPort.Find();

    /// <summary>Of the virtual host <c>/</c>.</summary>
    public string Url => UrlOver(Port);

    /// <summary>
    /// So long after its declaration a queue survives <see cref="Broker.Kill"/>: RabbitMQ acknowledges declarations before they
    /// are on the disk. (Messages it confirms
    /// afterwards.)
    /// </summary>
    public static TimeSpan DeclarationsAreSafeAfter { get; } = TimeSpan.FromSeconds(4);

    /// <summary>Of AMQP 0-9-1 over TLS, as <c>localhost</c>; null without an authority.</summary>
    public int? TlsPort { get; }

    /// <summary>Starts one and waits until it speaks AMQP.</summary>
    /// <param name="authority">
    /// Signs the certificate that it shows at <see cref="TlsPort"/>, and must have signed the one that each client shows there,
    /// whose common name may be its user
    /// (EXTERNAL). Null: no TLS.
    /// </param>
    /// <exception cref="BrokerFailedException">It is not installed or did not start.</exception>
    public static Task<RabbitBroker> StartAsync(TestAuthority? authority = null)
    {
        var broker = new RabbitBroker(authority);
        return StartedAsync(broker, broker.PrepareAsync);
    }

    /// <summary>By way of another port of 127.0.0.1, such as a <see cref="CuttingProxy"/>'s.</summary>
    public string UrlOver(int port) => $"amqp://guest:guest@127.0.0.1:{port}/";

    /// <summary>Runs rabbitmqctl against it; takes a second or two.</summary>
    /// <param name="arguments">The command and what belongs to it.</param>
    /// <returns>What it printed.</returns>
    /// <exception cref="BrokerFailedException">It failed; the message has what it printed.</exception>
    public async Task<string> ControlAsync(params string[] arguments)
    {
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            var (code, output) = await RunControlAsync(arguments);
            if (code == 0)
                return output;
            // It listens before all of it has started.
            bool isStarting = output.Contains("requires the 'rabbit' app to be running", StringComparison.Ordinal);
            if (!isStarting || Stopwatch.GetElapsedTime(began) > StartTimeout)
                throw new BrokerFailedException($"rabbitmqctl {string.Join(' ', arguments)} ended with code {code}: {output}");
        }
    }

    /// <inheritdoc />
    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        if (_mapper is not null)
            await _mapper.DisposeAsync();
    }

    private protected override BrokerCommand Command() =>
        new(
            Program,
            [],
            new Dictionary<string, string>
            {
                ["HOME"] = Folder,
                ["RABBITMQ_NODENAME"] = $"t{Port}@localhost",
                ["RABBITMQ_NODE_IP_ADDRESS"] = "127.0.0.1",
                ["RABBITMQ_NODE_PORT"] = $"{Port}",
                ["RABBITMQ_DIST_PORT"] = $"{_distributionPort}",
                ["RABBITMQ_MNESIA_BASE"] = PathOf("mnesia"),
                ["RABBITMQ_MNESIA_DIR"] = PathOf("mnesia/node"),
                ["RABBITMQ_LOG_BASE"] = PathOf("log"),
                // To standard output.
                ["RABBITMQ_LOGS"] = "-",
                ["RABBITMQ_CONFIG_FILE"] = PathOf("rabbitmq.conf"),
                ["RABBITMQ_GENERATED_CONFIG_DIR"] = PathOf("generated"),
                ["RABBITMQ_ENABLED_PLUGINS_FILE"] = PathOf("enabled_plugins"),
                ["RABBITMQ_PID_FILE"] = PathOf("pid"),
                ["RABBITMQ_CONF_ENV_FILE"] = "/nonexistent",
                ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
                ["ERL_EPMD_PORT"] = $"{_mapperPort}",
                ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = "-kernel inet_dist_use_interface {127,0,0,1}",
            }
        );

    /// <summary>Whether its answer to the protocol's header is the method that begins a connection.</summary>
    private protected override async Task<bool> IsReadyAsync()
    {
        const byte MethodFrame = 1;
        byte[] header = [.. "AMQP"u8, 0, 0, 9, 1];
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync("127.0.0.1", Port);
            var stream = client.GetStream();
            await stream.WriteAsync(header);
            var first = new byte[1];
            return await stream.ReadAsync(first) == 1 && first[0] == MethodFrame;
        }
        catch (Exception e) when (e is SocketException or IOException)
        {
            return false;
        }
    }

    private async Task<(int Code, string Output)> RunControlAsync(string[] arguments)
    {
        var start = new ProcessStartInfo(ControlProgram, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Folder,
        };
        foreach (var (name, value) in Command().Environment)
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return (process.ExitCode, process.ExitCode == 0 ? output : output + await errors);
    }

    private string PathOf(string name) => Path.Combine(Folder, name);

    private async Task PrepareAsync()
    {
        // The disk's limit is of no use to a test: it would stop all publishers on a full machine.
        await File.WriteAllTextAsync(
            PathOf("rabbitmq.conf"),
            $"listeners.tcp.1 = 127.0.0.1:{Port}\ndisk_free_limit.absolute = 10MB\nlog.console.level = warning\n{TlsConfiguration()}"
        );
        await File.WriteAllTextAsync(PathOf("enabled_plugins"), _authority is null ? "[].\n" : "[rabbitmq_auth_mechanism_ssl].\n");
        _mapper = BrokerProcess.Start(
            new BrokerCommand("epmd", ["-address", "127.0.0.1", "-port", $"{_mapperPort}"], new Dictionary<string, string>()),
            Folder
        );
        await _mapper.WaitAsync("epmd", IsMapperReadyAsync, StartTimeout);
    }

    private string TlsConfiguration()
    {
        if (_authority is null)
            return "";
        var (certificate, key) = _authority.IssueFiles("localhost");
        return $"""
            listeners.ssl.1 = 127.0.0.1:{TlsPort}
            ssl_options.cacertfile = {_authority.CertificateFile}
            ssl_options.certfile = {certificate}
            ssl_options.keyfile = {key}
            ssl_options.verify = verify_peer
            ssl_options.fail_if_no_peer_cert = true
            ssl_cert_login_from = common_name
            auth_mechanisms.1 = PLAIN
            auth_mechanisms.2 = EXTERNAL

            """;
    }

    private async Task<bool> IsMapperReadyAsync()
    {
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync("127.0.0.1", _mapperPort);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
