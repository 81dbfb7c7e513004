using System.Diagnostics;
using System.Globalization;
using Jackdaw.Brokers;
using Jackdaw.Demo.CommandLine;
using Jackdaw.Demo.Parts;
using Jackdaw.Demo.Setup;
using Jackdaw.Demo.Traffic;

namespace Jackdaw.Demo;

/// <summary>The demo from its start to its end: starts the parts, connects them, makes traffic, and shows what becomes of it.</summary>
internal sealed class Scenario(DemoOptions options, DemoFolder folder, Screen screen) : IAsyncDisposable
{
    private const int RoundsBeforeStaying = 3;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly FunctionsHost _host = FunctionsHost.Find(options.StandIn);
    private readonly string _app = options.App ?? Checkout.At("functions", "CustomHandler", "bin", "Release", "net10.0");
    private readonly HttpClient _http = new() { Timeout = TimeSpan.FromMinutes(1) };
    private readonly long _began = Stopwatch.GetTimestamp();

    private AzuriteBroker? _azurite;
    private ServerPart? _server;
    private Outside? _outside;
    private FunctionsPart? _functions;

    /// <summary>Returns when the rounds that were asked for have been made.</summary>
    /// <exception cref="OperationCanceledException">Somebody ends the demo.</exception>
    /// <exception cref="DemoFailedException">A part does not work.</exception>
    public async Task RunAsync(CancellationToken stop)
    {
        var rounds = options.Rounds ?? RoundsBeforeStaying;
        if (new[] { Names.OrdersFunction, Names.AccountsFunction }.FirstOrDefault(one => !FunctionApp.Has(_app, one)) is { } missing)
        {
            if (options.Rounds is not null)
                throw new DemoFailedException($"The app in {_app} has no function '{missing}', which the rounds need: leave --rounds out.");
            screen.Say($"The app in {_app} has no function '{missing}'. So there are no rounds; what you save goes to its queue.");
            rounds = 0;
        }
        var server = await StartAsync(stop);
        var readModel = new ReadModel(server);
        for (var made = 0; made < rounds; made++)
        {
            await RunRoundAsync(server, readModel, stop);
            if (made == 0)
                screen.Say("first result", $"after {Seconds(_began)} s");
        }
        if (options.Rounds is not null)
            return;
        SayWhatNext();
        while (true)
        {
            await Task.Delay(s_pause, stop);
            RequireAlive();
        }
    }

    /// <summary>Ends every part: first the functions, which write to the server, then the server, which sends to Azurite.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_functions is not null)
            await _functions.DisposeAsync();
        if (_server is not null)
            await _server.DisposeAsync();
        if (_azurite is not null)
        {
            // In order, so that queues of a folder that stays are saved.
            await _azurite.StopAsync();
            await _azurite.DisposeAsync();
        }
        if (_outside is not null)
            await _outside.DisposeAsync();
        _http.Dispose();
    }

    private async Task<JackdawServer> StartAsync(CancellationToken stop)
    {
        screen.Say($"An order or a bank event in '{Names.Source}' → ETL task → queue → function → a document in '{Names.ReadModel}'.");
        screen.Say();
        screen.Say("data", folder.IsTemporary ? $"{folder.Path} (removed at the end; --folder FOLDER keeps it)" : folder.Path);
        _azurite = await AzuriteBroker.StartAsync(folder.Azurite);
        screen.Say("Azurite", $"http://127.0.0.1:{_azurite.QueuePort} (queues), http://127.0.0.1:{_azurite.BlobPort} (blobs)");
        stop.ThrowIfCancellationRequested();
        _server = await ServerPart.StartAsync(folder, options.Port);
        screen.Say("server", _server.Url);
        stop.ThrowIfCancellationRequested();
        var server = new JackdawServer(_http, _server.Url);
        _outside = new Outside(screen);
        await Wiring.ConnectAsync(server, _azurite.ConnectionString, _outside.Url);
        screen.Say("databases", $"'{Names.Source}' with ETL tasks to the queues '{Names.Orders}' and '{Names.Accounts}';");
        screen.Say("", $"'{Names.ReadModel}' with an ETL task from its outbox to a webhook");
        _functions = new FunctionsPart(_host, _app, FunctionApp.Settings(_app, _server.Url, _azurite.ConnectionString), folder, screen);
        screen.Say("functions", _app);
        screen.Say("", $"under {_host.Description}");
        screen.Say("logs", folder.Logs);
        return server;
    }

    private async Task RunRoundAsync(JackdawServer server, ReadModel readModel, CancellationToken stop)
    {
        var began = Stopwatch.GetTimestamp();
        var number = await RoundCounter.NextAsync(server);
        var round = new Round(number);
        screen.Say();
        screen.Say($"Round {number}");
        var (orders, accounts) = (_functions!.RunsOf(Names.OrdersFunction), _functions.RunsOf(Names.AccountsFunction));
        await round.SaveAsync(server, screen);
        await UntilAsync(
            async () =>
            {
                var differences = await readModel.DifferencesAsync(round);
                if (differences.Count == 0 && !_outside!.Knows(round.Notice))
                    return [$"the notice about event {round.Notice.Number} of {round.Notice.Account} has not come"];
                return differences;
            },
            stop
        );
        // A function has run when its host says so, which is after it has written.
        await UntilAsync(
            () =>
                Task.FromResult<IReadOnlyList<string>>(
                    _functions.RunsOf(Names.OrdersFunction) - orders >= round.OrderMessages
                    && _functions.RunsOf(Names.AccountsFunction) - accounts >= Round.AccountMessages
                        ? []
                        : ["the host has not said that each function ran"]
                ),
            stop
        );
        await readModel.ShowAsync(round, screen);
        screen.Say("", $"The read model equals what was saved, {Seconds(began)} s after the round began.");
    }

    /// <summary>Waits until nothing is missing.</summary>
    private async Task UntilAsync(Func<Task<IReadOnlyList<string>>> missing, CancellationToken stop)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            RequireAlive();
            var left = await missing();
            if (left.Count == 0)
                return;
            if (Stopwatch.GetElapsedTime(began) > _host.Patience)
                throw new DemoFailedException(
                    $"After {_host.Patience.TotalSeconds:0} s, {string.Join("; ", left)}. "
                        + $"The functions' host said last:\n{_functions!.LastLines()}"
                );
            await Task.Delay(s_pause, stop);
        }
    }

    private void RequireAlive()
    {
        _server!.RequireAlive();
        _functions!.RequireAlive();
        if (_azurite!.HasExited)
            throw new DemoFailedException($"Azurite has ended. It said last:\n{_azurite.Output}");
    }

    private void SayWhatNext()
    {
        var url = _server!.Url;
        screen.Say();
        screen.Say("The demo stays until Ctrl+C. In another terminal, save an order, and watch its function run here:");
        screen.Say();
        screen.Say(
            $$$"""
                curl -X PUT '{{{url}}}/databases/shop/docs?id=orders/mine' \
                  -d '{"Company":"companies/1","Lines":[{"PricePerUnit":4,"Quantity":3}],"@metadata":{"@collection":"Orders"}}'

            Read what the function has made of it, everything that the functions have made, and how far the tasks are:

                curl '{{{url}}}/databases/views/docs?id=summaries/orders/mine'
                curl '{{{url}}}/databases/views/docs?startsWith=summaries/'
                ./run etl status --url {{{url}}}

            docs/getting-started.md continues from here to a function of your own.
            """
        );
        screen.Say();
    }

    private static string Seconds(long since) => Stopwatch.GetElapsedTime(since).TotalSeconds.ToString("0.0", CultureInfo.InvariantCulture);
}
