namespace Jackdaw.FunctionHost.Apps;

/// <summary>One function of an app: its folder's function.json, settings resolved.</summary>
internal sealed record Function(string Name, TriggerBinding Trigger, IReadOnlyList<OutputBinding> Outputs, RetryPolicy Retry)
{
    private const string Ending = "Trigger";

    /// <summary>Reads a function's file. Throws <see cref="AppException"/>.</summary>
    public static Function Read(string folder, AppSettings settings)
    {
        var file = JsonFile.Read(Path.Combine(folder, "function.json"));
        var bindings = file.Sections("bindings") ?? throw new AppException($"{file.PlaceOf("bindings")} is missing.");
        var name = Path.GetFileName(folder);
        var triggers = bindings.Where(one => one.RequiredText("type").EndsWith(Ending, StringComparison.OrdinalIgnoreCase)).ToList();
        if (triggers.Count != 1)
            throw new AppException($"{file.PlaceOf("bindings")} has {triggers.Count} triggers and must have one.");
        var trigger = TriggerOf(name, triggers[0], settings);
        var retry = RetryPolicy.Read(file.Section("retry"));
        if (retry != RetryPolicy.None && trigger.Kind != TriggerKind.Kafka)
            throw new AppException($"{file.PlaceOf("retry")} has no effect: only timers, Kafka and Event Hubs have retry policies.");
        return new Function(name, trigger, [.. bindings.Except(triggers).Select(one => OutputOf(name, one, settings))], retry);
    }

    /// <summary>Whether the function's own file says that it is not started.</summary>
    public static bool IsDisabled(string folder, AppSettings settings) =>
        JsonFile.Read(Path.Combine(folder, "function.json")).Text("disabled") is { } disabled
        && (AppSettings.IsTrue(disabled) || AppSettings.IsTrue(settings.Find(disabled)));

    private static TriggerBinding TriggerOf(string function, JsonFile binding, AppSettings settings)
    {
        Require(binding, "direction", "in");
        var type = binding.RequiredText("type");
        return type.ToUpperInvariant() switch
        {
            "QUEUETRIGGER" => new TriggerBinding(
                TriggerKind.Queue,
                binding.RequiredText("name"),
                Resolved(binding, "queueName", settings),
                StorageConnection(binding, settings),
                "",
                IsBinary(binding),
                IsBatch: false
            ),
            "RABBITMQTRIGGER" => new TriggerBinding(
                TriggerKind.RabbitMq,
                binding.RequiredText("name"),
                Resolved(binding, "queueName", settings),
                Connection(binding, "connectionStringSetting", settings),
                "",
                IsBinary(binding),
                IsBatch: false
            ),
            "KAFKATRIGGER" => new TriggerBinding(
                TriggerKind.Kafka,
                binding.RequiredText("name"),
                Resolved(binding, "topic", settings),
                Brokers(binding, settings),
                binding.Text("consumerGroup") is { } group ? settings.Resolve(group, binding.PlaceOf("consumerGroup")) : "$Default",
                IsBinary(binding),
                IsBatch(binding)
            ),
            _ => throw new AppException(
                $"The function '{function}' has a trigger of type '{type}', which this stand-in does not run. It runs queueTrigger, "
                    + $"rabbitMQTrigger and kafkaTrigger; set AzureWebJobs.{function}.Disabled=true to leave the function out."
            ),
        };
    }

    private static OutputBinding OutputOf(string function, JsonFile binding, AppSettings settings)
    {
        var type = binding.RequiredText("type");
        if (!string.Equals(type, "queue", StringComparison.OrdinalIgnoreCase))
            throw new AppException(
                $"The function '{function}' has a binding of type '{type}'; of bindings that are no trigger this stand-in knows 'queue'."
            );
        Require(binding, "direction", "out");
        return new OutputBinding(
            binding.RequiredText("name"),
            Resolved(binding, "queueName", settings),
            StorageConnection(binding, settings)
        );
    }

    private static void Require(JsonFile binding, string member, string value)
    {
        if (!string.Equals(binding.RequiredText(member), value, StringComparison.OrdinalIgnoreCase))
            throw new AppException($"{binding.PlaceOf(member)} is '{binding.Text(member)}' and must be '{value}'.");
    }

    private static string Resolved(JsonFile binding, string member, AppSettings settings) =>
        settings.Resolve(binding.RequiredText(member), binding.PlaceOf(member));

    private static string StorageConnection(JsonFile binding, AppSettings settings)
    {
        var name = binding.Text("connection") ?? "Storage";
        if (settings.FindConnection(name) is null && settings.Find($"{name}__queueServiceUri") is not null)
            throw new AppException(
                $"The setting '{name}__queueServiceUri' asks for an identity, and this stand-in enters storage accounts by a connection string: "
                    + $"set '{name}'."
            );
        return settings.FindConnection(name) ?? throw Missing(binding, "connection", name);
    }

    private static string Connection(JsonFile binding, string member, AppSettings settings)
    {
        var name = binding.RequiredText(member);
        return settings.FindConnection(name) ?? throw Missing(binding, member, name);
    }

    /// <summary>The name of a setting, or the list itself.</summary>
    private static string Brokers(JsonFile binding, AppSettings settings)
    {
        var text = Resolved(binding, "brokerList", settings);
        return settings.Find(text) ?? text;
    }

    private static AppException Missing(JsonFile binding, string member, string name) =>
        new($"{binding.PlaceOf(member)} is '{name}', and there is no setting '{name}': set it in the environment of the host.");

    private static bool IsBinary(JsonFile binding) => Choice(binding, "dataType", "string", "binary");

    private static bool IsBatch(JsonFile binding) => Choice(binding, "cardinality", "one", "many");

    /// <summary>Whether the second one is chosen; the first one is the default.</summary>
    private static bool Choice(JsonFile binding, string member, string first, string second)
    {
        var text = binding.Text(member) ?? first;
        if (string.Equals(text, second, StringComparison.OrdinalIgnoreCase))
            return true;
        return string.Equals(text, first, StringComparison.OrdinalIgnoreCase)
            ? false
            : throw new AppException($"{binding.PlaceOf(member)} is '{text}' and must be '{first}' or '{second}'.");
    }
}
