using System.Net.Security;
using System.Net.WebSockets;
using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Security.Tls;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>Connections that stay open: sockets of the Changes API and live reads of event streams. While they are open, something
/// happens in another database. Like <see cref="SmugglingTableTests"/>, the tests compare a server that has that database with one that
/// has not.</summary>
[SupportedOSPlatform("linux")]
public sealed class SmuggledWatchesTests : IDisposable
{
    /// <summary>What is watched for at the end.</summary>
    private const string Last = "own/last";

    /// <summary>The kind of the notification for clients that keep answers.</summary>
    private const string Caching = "AggressiveCacheChange";

    private static readonly TimeSpan s_hangsAfter = TimeSpan.FromSeconds(30);

    private readonly KnownClients _clients = new();
    private readonly CertificateFolder _folder = new();

    /// <summary>Commands of a socket of the database "db", each of which names the other database or what is in it.</summary>
    private static readonly string[] s_commands =
    [
        """{"Command":"watch-docs","Param":"","Database":"secret","DatabaseName":"secret"}""",
        """{"Command":"watch-docs","Param":"/databases/secret"}""",
        """{"Command":"watch-doc","Param":"hidden/1"}""",
        """{"Command":"watch-doc","Param":"/databases/secret/docs/hidden/1"}""",
        """{"Command":"watch-prefix","Param":"hid"}""",
        """{"Command":"watch-prefix","Param":"/databases/secret/"}""",
        """{"Command":"watch-collection","Param":"Hidden"}""",
        """{"Command":"watch-collection","Param":"secret/Hidden"}""",
        """{"Command":"watch-operations","Param":"secret"}""",
        """{"Command":"watch-operation","Param":"79","Database":"secret"}""",
        """{"Command":"watch-operation","Param":"76"}""",
        """{"Command":"watch-indexes","Database":"secret"}""",
        """{"Command":"watch-index","Param":"secret/HiddenIndex"}""",
        """{"Command":"watch-aggressive-caching","Param":"secret"}""",
        """{"Command":"watch-topology-change","Param":"secret"}""",
        """{"Command":"watch-databases","Param":"secret"}""",
        """{"Command":"/databases/secret/changes","Param":"secret"}""",
        """{"Command":"unwatch-doc","Param":"hidden/1"}""",
    ];

    public void Dispose()
    {
        _clients.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task No_command_of_a_socket_tells_of_another_database()
    {
        await using var scenes = await OpenAsync();
        using var reader = Reader();

        var heard = await ListenAsync(scenes.With, reader, "/databases/db/changes?database=secret&name=secret");
        var same = await ListenAsync(scenes.Without, reader, "/databases/db/changes?database=secret&name=secret");

        Assert.Equal(same, heard);
        Assert.DoesNotContain(SmugglingScene.Marker, heard, StringComparison.OrdinalIgnoreCase);
        Assert.Contains(Last, heard, StringComparison.Ordinal);
        foreach (var scene in new[] { scenes.With, scenes.Without })
        foreach (var path in new[] { "/databases/secret/changes", "/databases/SECRET/changes", "/databases/db/../secret/changes" })
            Assert.Contains("403", (await Assert.ThrowsAsync<WebSocketException>(() => ConnectAsync(scene, reader, path))).Message);
    }

    [Fact]
    public async Task No_live_read_tells_of_another_database()
    {
        await using var scenes = await OpenAsync();
        using var reader = Reader();

        var read = await ReadAsync(scenes.With, reader);
        var same = await ReadAsync(scenes.Without, reader);

        Assert.Equal(same, read);
        Assert.DoesNotContain(SmugglingScene.Marker, read, StringComparison.OrdinalIgnoreCase);
    }

    private static async Task<ClientWebSocket> ConnectAsync(SmugglingScene scene, X509Certificate2 mine, string path)
    {
        var socket = new ClientWebSocket();
        socket.Options.ClientCertificates.Add(mine);
        socket.Options.RemoteCertificateValidationCallback = (_, presented, _, _) => presented is not null;
        using var late = new CancellationTokenSource(s_hangsAfter);
        var url = new Uri(
            $"wss://127.0.0.1:{scene.Port}{path}",
            new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true }
        );
        try
        {
            await socket.ConnectAsync(url, late.Token);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Sends all commands, then has both databases change; gives the different notifications that came until the last change of
    /// the own one. How many come together, and in which order kinds come, is a matter of time.</summary>
    private static async Task<string> ListenAsync(SmugglingScene scene, X509Certificate2 mine, string path)
    {
        using var socket = await ConnectAsync(scene, mine, path);
        using var late = new CancellationTokenSource(s_hangsAfter);
        var heard = new SortedSet<string>(StringComparer.Ordinal);
        var id = 0;
        await HearAsync("TopologyChange");
        foreach (var row in s_commands)
        {
            id++;
            var command = $"{{\"CommandId\":{id},{row[1..]}";
            await socket.SendAsync(Encoding.UTF8.GetBytes(command), WebSocketMessageType.Text, true, late.Token);
            await HearAsync($"\"CommandId\":{id}");
        }
        await scene.ChangeOtherAsync();
        var before = heard.Count;
        await socket.SendAsync("""{"CommandId":1000,"Command":"watch-docs"}"""u8.ToArray(), WebSocketMessageType.Text, true, late.Token);
        await HearAsync("\"CommandId\":1000");
        Assert.Equal(before + 1, heard.Count);
        await scene.ChangeOwnAsync();
        await HearAsync(Last);
        if (!heard.Any(one => one.Contains(Caching, StringComparison.Ordinal)))
            await HearAsync(Caching);
        return scene.Comparable(string.Join('\n', heard));

        async Task HearAsync(string text)
        {
            var buffer = new byte[65536];
            while (true)
            {
                var length = 0;
                ValueWebSocketReceiveResult part;
                do
                {
                    part = await socket.ReceiveAsync(buffer.AsMemory(length), late.Token);
                    length += part.Count;
                } while (!part.EndOfMessage);
                var message = Encoding.UTF8.GetString(buffer, 0, length);
                Assert.True(part.MessageType == WebSocketMessageType.Text, $"The socket was closed: {socket.CloseStatusDescription}");
                using var json = JsonDocument.Parse(message);
                if (json.RootElement.ValueKind == JsonValueKind.Array)
                    heard.UnionWith(json.RootElement.EnumerateArray().Select(one => one.GetRawText()));
                else
                    heard.Add(message);
                if (message.Contains(text, StringComparison.Ordinal))
                    return;
            }
        }
    }

    /// <summary>Follows a stream that both databases have, has both change, and gives all that came until the event of the own
    /// one.</summary>
    private static async Task<string> ReadAsync(SmugglingScene scene, X509Certificate2 mine)
    {
        using var handler = new SocketsHttpHandler
        {
            SslOptions = new SslClientAuthenticationOptions
            {
                ClientCertificates = [mine],
                RemoteCertificateValidationCallback = (_, presented, _, _) => presented is not null,
            },
        };
        using var client = new HttpClient(handler);
        using var late = new CancellationTokenSource(s_hangsAfter);
        using var answer = await client.GetAsync(
            $"https://127.0.0.1:{scene.Port}/databases/db/events/live?stream=hidden-stream&stream=own-stream&after=3&database=secret",
            HttpCompletionOption.ResponseHeadersRead,
            late.Token
        );
        answer.EnsureSuccessStatusCode();
        using var lines = new StreamReader(await answer.Content.ReadAsStreamAsync(late.Token));
        await scene.ChangeOtherAsync();
        await scene.ChangeOwnAsync();
        var read = new StringBuilder();
        while (!read.ToString().Contains("\"payload\":\"own\"", StringComparison.Ordinal))
            read.AppendLine(await lines.ReadLineAsync(late.Token) ?? throw new IOException($"The live read has ended:\n{read}"));
        return scene.Comparable(read.ToString());
    }

    private async Task<Scenes> OpenAsync()
    {
        using var made = _folder.Make();
        _folder.WritePfx(made);
        var ofOperator = _folder.Make("operator");
        _clients.Set(ofOperator, "operator", Clearance.Operator);
        return new Scenes(
            await SmugglingScene.OpenAsync(_clients, ofOperator, _folder, hasOther: true),
            await SmugglingScene.OpenAsync(_clients, ofOperator, _folder, hasOther: false),
            ofOperator
        );
    }

    private X509Certificate2 Reader()
    {
        var certificate = _folder.Make("reader");
        _clients.Set(certificate, "reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        return certificate;
    }

    private sealed record Scenes(SmugglingScene With, SmugglingScene Without, X509Certificate2 Operator) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            await With.DisposeAsync();
            await Without.DisposeAsync();
            Operator.Dispose();
        }
    }
}
