using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance;

/// <summary>The walks of README.md, taken from its text and gone as they stand there.</summary>
[Trait("Category", "Slow")]
public sealed partial class ReadmeTests
{
    private const string FirstSession = "## A first session";
    private const string Walk = "## Changes go out";
    private const string ServerUrl = "http://127.0.0.1:8080";

    /// <summary>Printed when the last command has ended well.</summary>
    private const string Done = "every command has ended";

    /// <summary>What the emulator's short form of a connection string stands for, but for the ports.</summary>
    private const string EmulatorAccount = AzuriteBroker.EmulatorAccountName;
    private const string EmulatorKey = AzuriteBroker.EmulatorAccountKey;

    private static string BrokersFolder => Path.Combine(Repository.Root, "tests", "Brokers", "node");

    private static string Section(string title)
    {
        var text = File.ReadAllText(Path.Combine(Repository.Root, "README.md"));
        var from = text.IndexOf(title, StringComparison.Ordinal);
        Assert.True(from >= 0, $"README.md has no section '{title}'.");
        return text[from..text.IndexOf("\n## ", from, StringComparison.Ordinal)];
    }

    /// <summary>The only block of a language.</summary>
    private static string Block(string section, string language) =>
        Assert.Single(Fence().Matches(section), match => match.Groups["language"].Value == language).Groups["text"].Value;

    [Fact]
    public async Task The_first_session_works_as_it_is_written()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-readme-").FullName;
        // In place of `npm install`.
        File.CreateSymbolicLink(Path.Combine(folder, "node_modules"), Path.Combine(Repository.NodeScripts, "node_modules"));
        await using (var server = await ServerUnderTest.StartAsync())
        {
            File.WriteAllText(
                Path.Combine(folder, "first.mjs"),
                Block(Section(FirstSession), "js").Replace(ServerUrl, server.Url, StringComparison.Ordinal)
            );
            var said = await RunAsync(folder, "first.mjs");
            Assert.StartsWith("Jackdaw A:", said, StringComparison.Ordinal);
            Assert.Contains("shiny things", said, StringComparison.Ordinal);
        }
        Directory.Delete(folder, recursive: true);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task The_walk_to_an_Azure_queue_works_as_it_is_written()
    {
        var section = Section(Walk);
        Assert.Equal(
            JsonDocument
                .Parse(File.ReadAllText(Path.Combine(BrokersFolder, "package.json")))
                .RootElement.GetProperty("dependencies")
                .GetProperty("azurite")
                .GetString(),
            Version().Match(section).Groups[1].Value
        );
        var folder = Directory.CreateTempSubdirectory("jackdaw-readme-").FullName;
        int[] ports = [LoopbackPort.Find(), LoopbackPort.Find(), LoopbackPort.Find()];
        // In place of `npm install` and of the download by npx: what the tests have installed. Other people's Azurite and server
        // are left alone, hence other ports.
        File.CreateSymbolicLink(Path.Combine(folder, "node_modules"), Path.Combine(BrokersFolder, "node_modules"));
        // A command that is refused has failed.
        File.WriteAllText(Path.Combine(folder, ".curlrc"), "fail-with-body\nsilent\nshow-error\n");
        try
        {
            await using var server = await ServerUnderTest.StartAsync();
            string Here(string text) =>
                text.Replace(ServerUrl, server.Url, StringComparison.Ordinal)
                    .Replace(
                        "UseDevelopmentStorage=true",
                        $"DefaultEndpointsProtocol=http;AccountName={EmulatorAccount};AccountKey={EmulatorKey};QueueEndpoint=http://127.0.0.1:{ports[0]}/{EmulatorAccount}",
                        StringComparison.Ordinal
                    );
            File.WriteAllText(
                Path.Combine(folder, "walk.sh"),
                $$"""
                set -e
                trap 'kill $(jobs -p) 2>/dev/null' EXIT
                npx() {
                  [ "$1" = azurite ] || exit 1
                  shift
                  exec node node_modules/azurite/dist/src/azurite.js "$@" --queuePort {{ports[0]}} --blobPort {{ports[
                    1
                ]}} --tablePort {{ports[2]}}
                }
                {{Here(Block(section, "sh"))}}
                echo; echo '{{Done}}'
                # Until the test is over, however it ends: it holds the other end.
                read -r _ || true
                """
            );
            File.WriteAllText(Path.Combine(folder, "read.mjs"), Here(Block(section, "js")));
            using var walk = Start(folder, "bash", "walk.sh");
            try
            {
                await ExpectAsync(walk, Done).WaitAsync(Eventually.Patience);
                using var client = new HttpClient();
                var database = new WireDatabase(client, server.Url, "shop");
                await EtlWireTests.UntilAsync(
                    async () =>
                        (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0].GetProperty("Messages").GetInt64() == 1,
                    () => "The document does not arrive."
                );
                var said = JsonDocument.Parse(await RunAsync(folder, "read.mjs")).RootElement;
                Assert.Equal(("1.0", "orders/1"), (said.GetProperty("specversion").GetString(), said.GetProperty("subject").GetString()));
                Assert.Equal("""{"id":"orders/1","total":120}""", said.GetProperty("data").GetRawText());
            }
            finally
            {
                walk.StandardInput.Close();
                await walk.WaitForExitAsync().WaitAsync(Eventually.Patience);
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static Process Start(string folder, string program, string argument)
    {
        var start = new ProcessStartInfo(program, [argument])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        start.Environment["CURL_HOME"] = folder;
        return Process.Start(start)!;
    }

    /// <summary>What a script of Node prints; fails with it when it does not end well.</summary>
    private static async Task<string> RunAsync(string folder, string script)
    {
        using var process = Start(folder, "node", script);
        var errors = process.StandardError.ReadToEndAsync();
        var said = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, $"{script} ended with {process.ExitCode}:\n{said}\n{await errors}");
        return said;
    }

    /// <summary>Reads what it prints up to a line; fails with all of it when it ends before.</summary>
    private static async Task ExpectAsync(Process process, string line)
    {
        var said = new List<string>();
        while (await process.StandardOutput.ReadLineAsync() is { } next)
        {
            if (next == line)
                return;
            said.Add(next);
        }
        Assert.Fail($"It ended before '{line}':\n{string.Join('\n', said)}\n{await process.StandardError.ReadToEndAsync()}");
    }

    [GeneratedRegex("^```(?<language>\\w+)\n(?<text>.*?)^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex("azurite@([0-9.]+)")]
    private static partial Regex Version();
}
