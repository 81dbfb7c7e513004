namespace Jackdaw.Functions.Tests.Apps;

/// <summary>One function app for many tests, whose server is away.</summary>
public sealed class ServerlessApp : IAsyncLifetime
{
    /// <summary>Nobody listens there.</summary>
    internal const string NoServer = "http://127.0.0.1:9/";

    internal FunctionAppUnderTest App { get; private set; } = null!;

    /// <inheritdoc/>
    public async Task InitializeAsync() => App = await FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(NoServer));

    /// <inheritdoc/>
    public async Task DisposeAsync() => await App.DisposeAsync();
}
