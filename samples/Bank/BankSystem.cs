using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence.Jackdaw.Hosting;
using Bank.Accounts;
using Bank.Entities;
using Bank.Transfers;

namespace Bank;

/// <summary>The actor system of the bank.</summary>
public static class BankSystem
{
    /// <summary>The database that holds accounts, transfers and the projection.</summary>
    public const string Database = "Bank";

    /// <summary>Adds the actor system, whose actors live in the database of the server at <paramref name="url"/>.</summary>
    public static IServiceCollection AddBank(this IServiceCollection services, string url) =>
        services.AddAkka(
            "bank",
            akka =>
                akka.AddHocon("akka.loglevel = WARNING", HoconAddMode.Prepend)
                    .WithJackdawPersistence(url, Database)
                    .WithActors(
                        (system, registry) =>
                        {
                            var accounts = system.ActorOf(Props.Create(() => new EntityGroup(AccountProps)), "accounts");
                            registry.Register<Account>(accounts);
                            registry.Register<Transfer>(
                                system.ActorOf(Props.Create(() => new EntityGroup(id => TransferProps(id, accounts))), "transfers")
                            );
                        }
                    )
        );

    private static Props AccountProps(string id) => Props.Create(() => new Account(id));

    private static Props TransferProps(string id, IActorRef accounts) => Props.Create(() => new Transfer(id, accounts));
}
