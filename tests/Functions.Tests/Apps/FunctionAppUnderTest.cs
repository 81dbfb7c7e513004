using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Functions.Tests.Apps;

/// <summary>The real function app in a process of its own. A test speaks to it as the host does.</summary>
internal sealed class FunctionAppUnderTest : IAsyncDisposable
{
    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly HttpClient _http;

    private FunctionAppUnderTest(IReadOnlyDictionary<string, string> settings, string program)
    {
        var port = LoopbackPort.Find();
        Url = new Uri($"http://127.0.0.1:{port}/");
        _http = new HttpClient { BaseAddress = Url, Timeout = Eventually.Patience };
        var start = new ProcessStartInfo(program)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Path.GetDirectoryName(program),
        };
        start.Environment["FUNCTIONS_CUSTOMHANDLER_PORT"] = $"{port}";
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += OnOutput;
        _process.ErrorDataReceived += OnOutput;
    }

    /// <summary>The app's folder, as a build leaves it.</summary>
    public static string Folder { get; } = Path.Combine(Repository.Root, "functions", "CustomHandler", "bin", "Release", "net10.0");

    public static string Program => Path.Combine(Folder, "Jackdaw.Functions.CustomHandler");

    public Uri Url { get; }

    /// <summary>Everything that it printed.</summary>
    public string Output
    {
        get
        {
            lock (_output)
                return _output.ToString();
        }
    }

    /// <summary>Settings that an app has at least.</summary>
    public static Dictionary<string, string> Settings(string serverUrl, params (string Name, string Value)[] more)
    {
        var settings = new Dictionary<string, string>
        {
            ["Jackdaw__Url"] = serverUrl,
            ["OrdersQueue"] = "orders",
            ["AccountsQueue"] = "accounts",
            ["DeadLetterQueue"] = "dead-letters",
        };
        foreach (var (name, value) in more)
            settings[name] = value;
        return settings;
    }

    /// <summary>Starts it and waits for its first answer, as the host does.</summary>
    /// <param name="settings">Its environment.</param>
    /// <param name="program">Another app's program.</param>
    public static async Task<FunctionAppUnderTest> StartAsync(IReadOnlyDictionary<string, string> settings, string? program = null)
    {
        var app = Launch(settings, program);
        await Eventually.IsAsync(async () => app._process.HasExited || await app.AnswersAsync());
        if (!app._process.HasExited)
            return app;
        await app.DisposeAsync();
        throw new InvalidOperationException($"The function app ended with code {app._process.ExitCode}:\n{app.Output}");
    }

    /// <summary>Starts it and waits for nothing.</summary>
    public static FunctionAppUnderTest Launch(IReadOnlyDictionary<string, string> settings, string? program = null)
    {
        var app = new FunctionAppUnderTest(settings, program ?? Program);
        app._process.Start();
        app._process.BeginOutputReadLine();
        app._process.BeginErrorReadLine();
        return app;
    }

    /// <summary>Calls a function with the trigger's value, in whatever form.</summary>
    public Task<(int Status, string Text)> InvokeAsync(string function, object? trigger) =>
        PostAsync(
            function,
            JsonSerializer.Serialize(
                new
                {
                    Data = new Dictionary<string, object?>
                    {
                        [
                            function.EndsWith("Kafka", StringComparison.Ordinal) || function.EndsWith("Hubs", StringComparison.Ordinal)
                                ? "messages"
                                : "message"
                        ] = trigger,
                    },
                    Metadata = new { DequeueCount = "1", sys = new { MethodName = function } },
                }
            )
        );

    public async Task<(int Status, string Text)> PostAsync(string function, string body)
    {
        using var content = new StringContent(body, Encoding.UTF8, "application/json");
        using var answer = await _http.PostAsync(new Uri(Url, function), content);
        return ((int)answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }

    /// <summary>Calls a function, which must succeed, and returns the dead letters.</summary>
    public async Task<IReadOnlyList<JsonElement>> DeadLettersAsync(string function, object? trigger)
    {
        var (status, text) = await InvokeAsync(function, trigger);
        Assert.True(status == 200, $"{status} {text}\n{Output}");
        return DeadLettersOf(text);
    }

    /// <summary>The dead letters of an answer.</summary>
    public static IReadOnlyList<JsonElement> DeadLettersOf(string text)
    {
        var answer = JsonSerializer.Deserialize<JsonElement>(text);
        Assert.Equal(["Outputs", "Logs", "ReturnValue"], answer.EnumerateObject().Select(member => member.Name));
        return answer.GetProperty("Outputs").TryGetProperty("deadLetter", out var letters)
            ? [.. letters.EnumerateArray().Select(letter => JsonSerializer.Deserialize<JsonElement>(letter.GetString()!))]
            : [];
    }

    public async Task TerminateAsync()
    {
        using var kill = Process.Start("kill", ["-TERM", $"{_process.Id}"]);
        await kill.WaitForExitAsync();
    }

    public async Task<int> WaitForExitAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(Eventually.Patience);
        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
            _process.Kill();
        await _process.WaitForExitAsync();
        _http.Dispose();
    }

    private async Task<bool> AnswersAsync()
    {
        try
        {
            using var answer = await _http.GetAsync(Url);
            return true;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }

    private void OnOutput(object sender, DataReceivedEventArgs line)
    {
        lock (_output)
            _output.AppendLine(line.Data);
    }
}
