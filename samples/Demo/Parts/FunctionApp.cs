using System.Text.Json;

namespace Jackdaw.Demo.Parts;

/// <summary>A built function app: a folder with host.json, and a folder with a function.json for each function.</summary>
internal static class FunctionApp
{
    private const string QueueTrigger = "queueTrigger";

    /// <summary>The settings under which the functions of Azure queues run, and the others do not. <c>functions/README.md</c> explains
    /// each.</summary>
    /// <param name="app">The folder of the app.</param>
    /// <param name="server">Address of the server.</param>
    /// <param name="storage">Connection string of Azurite.</param>
    public static IReadOnlyDictionary<string, string> Settings(string app, string server, string storage)
    {
        var settings = new Dictionary<string, string>
        {
            ["FUNCTIONS_WORKER_RUNTIME"] = "custom",
            ["AzureWebJobsStorage"] = storage,
            ["Queues"] = storage,
            ["ClaimChecks"] = storage,
            ["OrdersQueue"] = Setup.Names.Orders,
            ["AccountsQueue"] = Setup.Names.Accounts,
            ["DeadLetterQueue"] = Setup.Names.DeadLetters,
            ["Jackdaw__Url"] = server,
            ["Jackdaw__SourceDatabase"] = Setup.Names.Source,
            ["Jackdaw__ReadModelDatabase"] = Setup.Names.ReadModel,
        };
        foreach (var function in Directory.EnumerateDirectories(app))
            if (TriggerOf(function) is { } trigger && trigger != QueueTrigger)
                settings[$"AzureWebJobs_{Path.GetFileName(function)}_Disabled"] = "true";
        return settings;
    }

    /// <summary>Whether an app has a function.</summary>
    public static bool Has(string app, string function) => File.Exists(Path.Combine(app, function, "function.json"));

    /// <summary>Null when the folder is none of a function.</summary>
    /// <exception cref="DemoFailedException">Its function.json cannot be read.</exception>
    private static string? TriggerOf(string function)
    {
        var file = Path.Combine(function, "function.json");
        if (!File.Exists(file))
            return null;
        try
        {
            using var json = JsonDocument.Parse(File.ReadAllText(file));
            return json
                .RootElement.GetProperty("bindings")
                .EnumerateArray()
                .Select(binding => binding.GetProperty("type").GetString())
                .FirstOrDefault(type => type?.EndsWith("Trigger", StringComparison.Ordinal) == true);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new DemoFailedException($"{file} is not a function.json: {e.Message}");
        }
    }
}
