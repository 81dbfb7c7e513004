using System.Diagnostics;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.EndToEnd;

/// <summary>Whoever changes the source meanwhile: the official client its orders, this process its accounts. What they were answered does
/// not matter: the source says what it has.</summary>
internal sealed class Writers : IAsyncDisposable
{
    private readonly CloudScene _scene;
    private readonly Random _random;
    private readonly string[] _streams;
    private readonly string _stopFile = Path.Combine(Path.GetTempPath(), $"jackdaw-stop-{Guid.NewGuid()}");
    private readonly CancellationTokenSource _stop = new();
    private readonly Process _client;
    private readonly Task _reading;
    private readonly Task<string> _errors;
    private readonly Task _appending;
    private int _saved;
    private int _appended;

    public Writers(CloudScene scene, int seed, int orders, string[] streams)
    {
        (_scene, _random, _streams) = (scene, new Random(seed), streams);
        _client = NodeScript.Start("shop-writer.mjs", scene.Shop.Url, scene.Shop.ClientEnvironment, $"{seed}", $"{orders}", _stopFile);
        _reading = ReadAsync();
        _errors = _client.StandardError.ReadToEndAsync();
        _appending = Task.Run(AppendAsync);
    }

    /// <summary>Changes that were acknowledged.</summary>
    public int Acknowledged => Volatile.Read(ref _saved) + Volatile.Read(ref _appended);

    /// <summary>Waits until so many more orders and events are acknowledged.</summary>
    public async Task AdvanceAsync(int orders, int events)
    {
        var (saved, appended) = (Volatile.Read(ref _saved) + orders, Volatile.Read(ref _appended) + events);
        await Eventually.IsAsync(() =>
        {
            if (_client.HasExited)
                throw new InvalidOperationException($"The official client ended: {_errors.GetAwaiter().GetResult()}");
            return Volatile.Read(ref _saved) >= saved && Volatile.Read(ref _appended) >= appended;
        });
    }

    /// <summary>Ends both, in order.</summary>
    public async Task StopAsync()
    {
        await File.WriteAllTextAsync(_stopFile, "");
        await _stop.CancelAsync();
        await _appending;
        await _client.WaitForExitAsync().WaitAsync(Eventually.Patience);
        await _reading;
        Assert.True(_client.ExitCode == 0, $"The official client failed: {await _errors}");
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _appending;
        if (!_client.HasExited)
            _client.Kill();
        await _client.WaitForExitAsync();
        _client.Dispose();
        File.Delete(_stopFile);
        _stop.Dispose();
    }

    private async Task ReadAsync()
    {
        while (await _client.StandardOutput.ReadLineAsync() is not null)
            Interlocked.Increment(ref _saved);
    }

    private async Task AppendAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await _scene.AppendAsync(
                    _streams[_random.Next(_streams.Length)],
                    _random.Next(2) == 0 ? "deposited" : "withdrawn",
                    1 + _random.Next(1500)
                );
                Interlocked.Increment(ref _appended);
            }
            catch (Exception e) when (e is HttpRequestException or IOException or OperationCanceledException)
            {
                // The server is being killed.
            }
            await Task.Delay(_random.Next(10, 60));
        }
    }
}
