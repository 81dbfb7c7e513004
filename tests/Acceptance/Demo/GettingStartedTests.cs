using System.Diagnostics;
using System.Text.RegularExpressions;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Demo;

/// <summary>
/// The walk of docs/getting-started.md, gone as it is written. Blocks of the language <c>sh</c> are run one after another;
/// <c>output</c> is what the command before it prints, at once or when it is repeated; <c>demo</c> is what the demo has printed since
/// that command; <c>csharp</c> and <c>json</c> are parts of the sample's files.
/// </summary>
[Trait("Category", "Slow")]
public sealed partial class GettingStartedTests : IDisposable
{
    private const string Demo = "./run --demo ";
    private const string ServerUrl = "http://127.0.0.1:8080";

    /// <summary>Where the walk keeps its data, below the checkout.</summary>
    private const string Data = "data/";

    private static readonly string s_sample = Path.Combine(Repository.Root, "samples", "LargeOrders");

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-walk-").FullName;
    private DemoProcess? _demo;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static IEnumerable<(string Language, string Text)> Blocks()
    {
        var text = File.ReadAllText(Path.Combine(Repository.Root, "docs", "getting-started.md"));
        return Fence()
            .Matches(text)
            .Select(match =>
                (match.Groups["language"].Value, Regex.Replace(match.Groups["text"].Value, $"(?m)^{match.Groups["indent"].Value}", ""))
            );
    }

    [Fact]
    public void The_code_of_the_walk_is_the_code_of_the_sample()
    {
        var files = Directory
            .EnumerateFiles(s_sample, "*", SearchOption.AllDirectories)
            .Where(file => !file.Contains("/obj/", StringComparison.Ordinal) && !file.Contains("/bin/", StringComparison.Ordinal))
            .Select(file => Lines(File.ReadAllText(file)))
            .ToList();
        var shown = Blocks().Where(block => block.Language is "csharp" or "json").ToList();
        Assert.NotEmpty(shown);
        foreach (var (_, text) in shown)
            Assert.True(
                files.Any(file => file.Contains(Lines(text), StringComparison.Ordinal)),
                $"No file of the sample has this:\n{text}"
            );
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task The_walk_to_a_function_of_one_s_own_works_as_it_is_written()
    {
        // A command that is refused has failed.
        File.WriteAllText(Path.Combine(_folder, ".curlrc"), "fail-with-body\nsilent\nshow-error\n");
        try
        {
            var blocks = Blocks().ToList();
            var seen = 0;
            for (var at = 0; at < blocks.Count; at++)
            {
                var (language, text) = blocks[at];
                if (language == "demo")
                    await Eventually.IsAsync(() => Lines(_demo!.Output[seen..]).Contains(Lines(text).Trim(), StringComparison.Ordinal));
                if (language != "sh")
                    continue;
                if (text.StartsWith(Demo, StringComparison.Ordinal))
                {
                    await RestartDemoAsync(text[Demo.Length..].Trim());
                    continue;
                }
                seen = _demo!.Output.Length;
                if (at + 1 < blocks.Count && blocks[at + 1].Language == "output")
                    await SaysAsync(text, blocks[at + 1].Text);
                else
                    await MustAsync(text);
            }
            Assert.NotNull(_demo);
        }
        finally
        {
            if (_demo is not null)
                await _demo.DisposeAsync();
        }
    }

    /// <summary>Other ports and folders than the page's: other people's are left alone.</summary>
    private async Task RestartDemoAsync(string arguments)
    {
        if (_demo is not null)
        {
            await _demo.SignalAsync("INT");
            Assert.True(await _demo.WaitForExitAsync() == 0, _demo.Output);
            await _demo.DisposeAsync();
        }
        _demo = DemoProcess.Start([.. Here(arguments).Split(' '), "--stand-in", "--port", "0"]);
        await _demo.SaysAsync("The demo stays until Ctrl+C");
        // The last of what it says by itself.
        await _demo.SaysAsync("docs/getting-started.md");
    }

    /// <summary>Repeats a command, as its reader would, until it says what the page says.</summary>
    private async Task SaysAsync(string command, string expected)
    {
        var (exitCode, said) = (0, "");
        try
        {
            await Eventually.IsAsync(async () =>
            {
                (exitCode, said) = await RunAsync(command);
                return exitCode == 0 && Lines(expected).Split('\n').All(line => Lines(said).Contains(line, StringComparison.Ordinal));
            });
        }
        catch (TimeoutException)
        {
            Assert.Fail($"{command}\ndid not say\n{expected}\nIt ended with {exitCode} and said\n{said}\nThe demo said\n{_demo!.Output}");
        }
    }

    private async Task MustAsync(string command)
    {
        var (exitCode, said) = await RunAsync(command);
        Assert.True(exitCode == 0, $"{command}\nended with {exitCode}:\n{said}");
    }

    private async Task<(int ExitCode, string Said)> RunAsync(string command)
    {
        var start = new ProcessStartInfo(
            "bash",
            [
                "-c",
                $$"""
                set -eu
                # In place of a download: what the tests have installed.
                npm() {
                  case "$1" in
                    init) : ;;
                    install) ln -sfn '{{Path.Combine(Repository.NodeScripts, "node_modules")}}' node_modules ;;
                    *) exit 1 ;;
                  esac
                }
                {{Here(command)}}
                """,
            ]
        )
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Repository.Root,
        };
        start.Environment["CURL_HOME"] = _folder;
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var said = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return (process.ExitCode, said + await errors);
    }

    private string Here(string text)
    {
        text = text.Replace(Data, $"{_folder}/", StringComparison.Ordinal);
        if (_demo is null || !text.Contains(ServerUrl, StringComparison.Ordinal))
            return text;
        var url = Address().Match(_demo.Output);
        Assert.True(url.Success, _demo.Output);
        return text.Replace(ServerUrl, url.Groups[1].Value, StringComparison.Ordinal);
    }

    /// <summary>Without indentation: the page and the files indent differently.</summary>
    private static string Lines(string text) => string.Join('\n', text.Split('\n').Select(line => line.Trim()));

    [GeneratedRegex("^(?<indent> *)```(?<language>\\w+)\n(?<text>.*?)^ *```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex("^ +server +(http://\\S+)", RegexOptions.Multiline)]
    private static partial Regex Address();
}
