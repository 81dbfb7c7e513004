using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents.Errors;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>Operates the tasks of a running server: <c>run etl status|reset|dead-letters</c>. The work is the server's; this only
/// asks for it.</summary>
internal sealed class EtlCommand
{
    private const string Usage =
        "Say what is to be done: run etl status [DATABASE], run etl reset DATABASE TASK "
        + "[TRANSFORM], or run etl dead-letters list|retry|purge DATABASE; see --help.";

    private readonly EtlCommandLine _line;
    private readonly ServerClient _server;
    private readonly TextReader _input;
    private readonly TextWriter _output;

    private EtlCommand(EtlCommandLine line, ServerClient server, TextReader input, TextWriter output)
    {
        _line = line;
        _server = server;
        _input = input;
        _output = output;
    }

    /// <summary>Returns the process's exit code.</summary>
    /// <exception cref="ConfigurationException">The words make no sense, or a setting is wrong.</exception>
    /// <exception cref="RefusedException">The server refused.</exception>
    /// <exception cref="HttpRequestException">There is no server.</exception>
    public static async Task<int> RunAsync(string[] arguments, TextReader input, TextWriter output)
    {
        var line = new EtlCommandLine(arguments);
        Func<EtlCommand, Task<int>> what = line.Words switch
        {
            ["status"] => command => command.StatusAsync(null),
            ["status", var database] => command => command.StatusAsync(database),
            ["reset", var database, var task] => command => command.ResetAsync(database, task, null),
            ["reset", var database, var task, var transform] => command => command.ResetAsync(database, task, transform),
            ["dead-letters", "list", var database] => command => command.ListAsync(database),
            ["dead-letters", "retry", var database] => command => command.RetryAsync(database),
            ["dead-letters", "purge", var database] => command => command.PurgeAsync(database),
            _ => throw new ConfigurationException(Usage),
        };
        using var server = new ServerClient(line.Server.Read(line.Settings), line.Server);
        return await what(new EtlCommand(line, server, input, output));
    }

    private static string Path(string database, string rest) => $"/databases/{Uri.EscapeDataString(database)}{rest}";

    private async Task<JsonElement> GetAsync(string path) => (await _server.AskAsync(HttpMethod.Get, path))!.Value;

    private async Task<int> StatusAsync(string? only)
    {
        var names = only is not null
            ? [only]
            : (await GetAsync("/databases"))
                .GetProperty("Databases")
                .EnumerateArray()
                .Where(database => !database.GetProperty("Disabled").GetBoolean())
                .Select(database => database.GetProperty("Name").GetString()!)
                .ToArray();
        var table = new TextTable("DATABASE", "TASK", "STATE", "DOCUMENTS BEHIND", "SECONDS BEHIND", "MESSAGES", "RETRIES", "DEAD LETTERS");
        var reasons = new List<string>();
        var shown = new Dictionary<string, JsonElement>();
        foreach (var name in names)
        {
            try
            {
                shown[name] = (await GetAsync(Path(name, "/etl/status"))).GetProperty("Tasks");
            }
            catch (RefusedException refused) when (only is null)
            {
                // One that cannot be opened must not hide the others.
                reasons.Add($"{name}: {refused.Message}");
                continue;
            }
            foreach (var task in shown[name].EnumerateArray())
                AddTask(table, reasons, name, task);
        }
        if (_line["--json"])
        {
            await _output.WriteLineAsync(JsonSerializer.Serialize(shown));
            return CommandLine.Success;
        }
        table.Write(_output);
        foreach (var reason in reasons)
            await _output.WriteLineAsync(reason);
        return CommandLine.Success;
    }

    private static void AddTask(TextTable table, List<string> reasons, string database, JsonElement task)
    {
        var transforms = task.GetProperty("Transforms").EnumerateArray().ToArray();
        var furthest = transforms
            .Select(transform =>
                (
                    Documents: transform.GetProperty("DocumentsBehind").GetInt64(),
                    IsEstimate: transform.GetProperty("IsEstimate").GetBoolean()
                )
            )
            .DefaultIfEmpty()
            .Max();
        var behind = (furthest.IsEstimate ? "about " : "") + Number(furthest.Documents);
        var seconds = transforms.Select(transform => transform.GetProperty("SecondsBehind").GetDouble()).DefaultIfEmpty().Max();
        var name = task.GetProperty("TaskName").GetString()!;
        table.Add(
            database,
            name,
            task.GetProperty("State").GetString()!,
            behind,
            seconds.ToString("0.0", CultureInfo.InvariantCulture),
            Number(task.GetProperty("Messages").GetInt64()),
            Number(task.GetProperty("Retries").GetInt64()),
            Number(task.GetProperty("DeadLetters").GetInt64())
        );
        if (task.GetProperty("Reason").GetString() is { Length: > 0 } reason)
            reasons.Add($"{database}/{name}: {reason}");
    }

    private async Task<int> ResetAsync(string database, string task, string? transform)
    {
        var tasks = (await GetAsync(Path(database, "/etl/status"))).GetProperty("Tasks").EnumerateArray();
        var found = tasks.FirstOrDefault(one =>
            string.Equals(one.GetProperty("TaskName").GetString(), task, StringComparison.OrdinalIgnoreCase)
        );
        if (found.ValueKind != JsonValueKind.Object)
            throw new RefusedException($"The database '{database}' has no task named '{task}'.");
        if (
            !await IsMeantAsync(
                $"Everything of '{task}'{(transform is null ? "" : $", transform '{transform}',")} "
                    + "is sent again, from the first document on. "
                    + "The receiver gets what it has had already, under the same ids."
            )
        )
            return CommandLine.Failure;
        var which = transform is null ? "" : $"&transform={Uri.EscapeDataString(transform)}";
        await _server.AskAsync(HttpMethod.Post, Path(database, $"/etl/position?id={found.GetProperty("TaskId").GetInt64()}&etag=0{which}"));
        await _output.WriteLineAsync($"'{task}' begins anew.");
        return CommandLine.Success;
    }

    private async Task<int> ListAsync(string database)
    {
        var letters = new List<JsonElement>();
        JsonElement page;
        do
        {
            page = await GetAsync(Path(database, $"/etl/dead-letters?start={letters.Count}&pageSize=1024{Which()}"));
            letters.AddRange(page.GetProperty("Results").EnumerateArray());
        } while (page.GetProperty("HasMore").GetBoolean());
        if (_line["--json"])
        {
            await _output.WriteLineAsync(JsonSerializer.Serialize(letters));
            return CommandLine.Success;
        }
        var table = new TextTable("ID", "TASK", "TRANSFORM", "DOCUMENT", "NUMBER", "STATE", "ATTEMPTS", "REASON");
        foreach (var letter in letters)
        {
            var cells = Cells(letter, "Id", "Task", "Transform", "DocumentId", "Number", "State", "Attempts", "Reason");
            // An id is shown as it is, line breaks included: 'a\nb' is not 'a b'.
            cells[3] = ShownText.Of(cells[3]);
            table.Add(cells);
        }
        table.Write(_output);
        return CommandLine.Success;
    }

    private async Task<int> RetryAsync(string database)
    {
        RequireChoice();
        var asStored = _line["--as-stored"] ? "&asStored=true" : "";
        var outcome = (
            await _server.AskAsync(HttpMethod.Post, Path(database, $"/etl/dead-letters/retry?waitSeconds=300{asStored}{Which()}"))
        )!.Value;
        var tasks = outcome.GetProperty("Tasks").EnumerateArray().ToArray();
        if (_line["--json"])
        {
            await _output.WriteLineAsync(outcome.GetRawText());
        }
        else
        {
            var table = new TextTable("TASK", "SETTLED", "SUPERSEDED", "FAILED", "OUTCOME");
            foreach (var task in tasks)
            {
                var done = task.GetProperty("IsDone").GetBoolean() ? "done" : task.GetProperty("Reason").GetString() ?? "goes on";
                table.Add(
                    task.GetProperty("TaskName").GetString()!,
                    Number(task.GetProperty("Settled").GetInt64()),
                    Number(task.GetProperty("Superseded").GetInt64()),
                    Number(task.GetProperty("Failed").GetInt64()),
                    done
                );
            }
            table.Write(_output);
        }
        return tasks.All(task => task.GetProperty("IsDone").GetBoolean() && task.GetProperty("Failed").GetInt64() == 0)
            ? CommandLine.Success
            : CommandLine.Failure;
    }

    private async Task<int> PurgeAsync(string database)
    {
        RequireChoice();
        if (!await IsMeantAsync("The dead letters are removed, and with them what is known of what was not sent."))
            return CommandLine.Failure;
        var outcome = (await _server.AskAsync(HttpMethod.Delete, Path(database, $"/etl/dead-letters?{Which().TrimStart('&')}")))!.Value;
        await _output.WriteLineAsync(
            _line["--json"] ? outcome.GetRawText() : $"{Number(outcome.GetProperty("Purged").GetInt64())} purged."
        );
        return CommandLine.Success;
    }

    private void RequireChoice()
    {
        if (_line.Option("--id") is null && _line.Option("--task") is null && !_line["--all"])
            throw new ConfigurationException("Say which dead letters are meant: --id ID, --task TASK or --all.");
    }

    /// <summary>The filter as a query string, each part beginning with an ampersand.</summary>
    private string Which()
    {
        var text = _line["--all"] ? "&all=true" : "";
        foreach (var name in (ReadOnlySpan<string>)["id", "task", "transform", "state"])
            if (_line.Option("--" + name) is { } value)
                text += $"&{name}={Uri.EscapeDataString(value)}";
        return text;
    }

    private async Task<bool> IsMeantAsync(string what)
    {
        if (_line["--yes"])
            return true;
        await _output.WriteAsync($"{what} Go on? (yes/no) ");
        await _output.FlushAsync();
        if (string.Equals((await _input.ReadLineAsync())?.Trim(), "yes", StringComparison.OrdinalIgnoreCase))
            return true;
        await _output.WriteLineAsync("Nothing was changed.");
        return false;
    }

    /// <summary>Members as text; empty where there is none, as in what an older version wrote.</summary>
    private static string[] Cells(JsonElement letter, params string[] names) =>
        names.Select(name => letter.TryGetProperty(name, out var value) ? value.ToString() : "").ToArray();

    private static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);
}
