namespace Jackdaw.FunctionHost.Tests;

/// <summary>A function app that cannot be run is refused with the file, the place in it and what is expected there.</summary>
public sealed class AppFileTests : IAsyncLifetime
{
    private TestApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await TestApp.CreateAsync();
        _app.Set("Account", "UseDevelopmentStorage=true");
        _app.WriteQueueFunction("One", "orders");
    }

    public async Task DisposeAsync() => await _app.DisposeAsync();

    [Theory]
    [InlineData("{", "line 1", "not valid JSON")]
    [InlineData("[]", "host.json is not a JSON object")]
    [InlineData("""{"version":"1.0"}""", "'version' in ", "is '1.0' and must be '2.0'")]
    [InlineData("""{"version":"2.0"}""", "'customHandler.description.defaultExecutablePath' in ", "is missing")]
    [InlineData("""{"version":"2.0","customHandler":[]}""", "'customHandler' in ", "must be an object")]
    [InlineData(
        """{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"nothing"}}}""",
        "is 'nothing', and there is neither"
    )]
    [InlineData(
        """{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"node","arguments":[1]}}}""",
        "must be an array of texts"
    )]
    [InlineData(
        """{"version":"2.0","functionTimeout":"soon","customHandler":{"description":{"defaultExecutablePath":"node"}}}""",
        "'functionTimeout' in ",
        "must be a time like '00:00:05'"
    )]
    [InlineData(
        """{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"node"}},"extensions":{"queues":{"batchSize":33}}}""",
        "'extensions.queues.batchSize' in ",
        "is '33' and must be a number from 1 to 32"
    )]
    [InlineData(
        """{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"node"}},"extensions":{"queues":{"messageEncoding":"utf8"}}}""",
        "must be 'base64' or 'none'"
    )]
    public void A_malformed_host_file_is_refused(string content, params string[] words)
    {
        File.WriteAllText(Path.Combine(_app.Folder, "host.json"), content);
        var refusal = _app.Refusal();
        Assert.All(words, word => Assert.Contains(word, refusal, StringComparison.Ordinal));
        Assert.Contains(Path.Combine(_app.Folder, "host.json"), refusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{", "line 1")]
    [InlineData("{}", "'bindings' in ", "is missing")]
    [InlineData("""{"bindings":[1]}""", "must be an array of objects")]
    [InlineData("""{"bindings":[]}""", "has 0 triggers and must have one")]
    [InlineData("""{"bindings":[{"type":"queueTrigger","direction":"in"}]}""", "'bindings[0].name' in ", "is missing")]
    [InlineData("""{"bindings":[{"name":"a","type":"queueTrigger","direction":"out"}]}""", "must be 'in'")]
    [InlineData(
        """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"%Nothing%","connection":"Account"}]}""",
        "there is no setting 'Nothing'"
    )]
    [InlineData(
        """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"%Half","connection":"Account"}]}""",
        "no other one to end the setting's name"
    )]
    [InlineData(
        """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"q","connection":"Elsewhere"}]}""",
        "is 'Elsewhere', and there is no setting 'Elsewhere'"
    )]
    [InlineData(
        """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"q","connection":"Account","dataType":"stream"}]}""",
        "must be 'string' or 'binary'"
    )]
    [InlineData(
        """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"q","connection":"Account"},{"name":"b","type":"blob","direction":"out"}]}""",
        "binding of type 'blob'"
    )]
    [InlineData(
        """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"q","connection":"Account"}],"retry":{"strategy":"fixedDelay","maxRetryCount":1}}""",
        "only timers, Kafka and Event Hubs have retry policies"
    )]
    [InlineData(
        """{"bindings":[{"name":"a","type":"kafkaTrigger","direction":"in","topic":"t","brokerList":"b"}],"retry":{"strategy":"often"}}""",
        "must be 'fixedDelay' or 'exponentialBackoff'"
    )]
    public void A_malformed_function_file_is_refused(string content, params string[] words)
    {
        _app.WriteFunction("Two", content);
        var refusal = _app.Refusal();
        Assert.All(words, word => Assert.Contains(word, refusal, StringComparison.Ordinal));
    }

    [Fact]
    public void A_trigger_that_is_not_run_is_refused_by_its_name()
    {
        _app.WriteFunction(
            "Two",
            """{"bindings":[{"name":"a","type":"eventHubTrigger","direction":"in","eventHubName":"h","connection":"Hubs"}]}"""
        );
        var refusal = _app.Refusal();
        Assert.Contains(
            "'Two' has a trigger of type 'eventHubTrigger', which this stand-in does not run",
            refusal,
            StringComparison.Ordinal
        );
        Assert.Contains("AzureWebJobs.Two.Disabled", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void An_account_that_asks_for_an_identity_is_refused()
    {
        _app.WriteQueueFunction("Two", "orders", "");
        _app.WriteFunction(
            "Two",
            """{"bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"q","connection":"Cloud"}]}"""
        );
        _app.Set("Cloud__queueServiceUri", "https://account.queue.example/");
        Assert.Contains("asks for an identity", _app.Refusal(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_folder_that_is_no_app_is_refused()
    {
        Directory.Delete(Path.Combine(_app.Folder, "One"), recursive: true);
        Assert.Contains("has no functions", _app.Refusal(), StringComparison.Ordinal);
        File.Delete(Path.Combine(_app.Folder, "host.json"));
        Assert.Contains("--app must name the folder of a function app", _app.Refusal(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("AzureWebJobs.Two.Disabled", "true")]
    [InlineData("AzureWebJobs_Two_Disabled", "1")]
    [InlineData("SwitchedOff", "True")]
    public async Task A_function_that_is_disabled_is_not_even_resolved(string setting, string value)
    {
        _app.WriteFunction(
            "Two",
            """
            {"disabled":"SwitchedOff",
             "bindings":[{"name":"a","type":"queueTrigger","direction":"in","queueName":"%Nothing%","connection":"Nothing"}]}
            """
        );
        _app.Set(setting, value);
        await _app.StartAsync();
        Assert.Equal(["One"], _app.Host.Functions);
        Assert.Contains("Functions.Two is disabled.", _app.Lines);
        Assert.Contains("stands in for the Azure Functions host", _app.Lines[0], StringComparison.Ordinal);
    }

    /// <summary>Two underscores are the separator of sections, and the host reads this setting under its own two names only.</summary>
    [Fact]
    public void A_setting_of_sections_disables_no_function()
    {
        _app.WriteFunction("Two", """{"bindings":[{"name":"a","type":"eventHubTrigger","direction":"in"}]}""");
        _app.Set("AzureWebJobs__Two__Disabled", "true");
        Assert.Contains("'Two' has a trigger of type 'eventHubTrigger'", _app.Refusal(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_setting_replaces_a_value_of_the_host_file()
    {
        _app.Set("AzureFunctionsJobHost__extensions__queues__batchSize", "0");
        Assert.Contains("is '0' and must be a number from 1 to 32", _app.Refusal(), StringComparison.Ordinal);
    }
}
